//! Which step comes next: numeric order, `depends_on`, `skip_if` (analysis FR-004, AC-012-02).
//!
//! A phase is walked in numeric order; a step whose dependency of the same phase is still open waits
//! for it. A dependency is met when it is done, when its phase is, or when its own `skip_if` left it
//! out. One that cannot be met any more (no such step, a later phase, left out itself for that
//! reason) leaves the step out, with a warning.

use std::collections::{BTreeMap, BTreeSet};

use super::skip::{self, Facts};
use crate::item::step::Step;
use crate::text::finding::Finding;

/// Why no plan can be made.
#[derive(Debug, thiserror::Error)]
pub enum Unplannable {
    #[error("steps depend on each other through `depends_on`: {}", cycle.join(" -> "))]
    Cycle { cycle: Vec<String> },
    #[error("two step files have the id {id}: {first} and {second}")]
    Twins { id: String, first: String, second: String },
    #[error("{0}")]
    Skip(#[from] Box<Finding>),
}

/// What is left to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The next step, by its index among the library's steps.
    pub next: Option<usize>,
    /// Steps left out on the way there, and why, in words.
    pub left_out: Vec<(String, String)>,
}

/// What is done, and what is known.
#[derive(Clone, Debug, Default)]
pub struct Progress<'a> {
    pub steps: &'a [String],
    pub phases: &'a [String],
    pub facts: Facts,
    /// The depth that each phase would be walked with.
    pub depths: BTreeMap<String, String>,
}

/// Checks what a walk relies on: ids once each, no circle of dependencies, readable expressions.
///
/// # Errors
/// The first of these that does not hold.
pub fn check(steps: &[Step], facts: &Facts) -> Result<(), Unplannable> {
    let mut ids: BTreeMap<&str, &Step> = BTreeMap::new();
    for step in steps {
        if let Some(first) = ids.insert(&step.id, step) {
            let (first, second) = (first.path.clone(), step.path.clone());
            return Err(Unplannable::Twins { id: step.id.clone(), first, second });
        }
        skip::is_skipped(step, facts)?;
    }
    circle(steps)
}

/// Looks for a circle of dependencies.
///
/// # Errors
/// The circle.
pub fn circle(steps: &[Step]) -> Result<(), Unplannable> {
    let ids: BTreeMap<&str, &Step> = steps.iter().map(|step| (step.id.as_str(), step)).collect();
    let mut settled = BTreeSet::new();
    for step in steps {
        walk(&ids, &step.id, &mut Vec::new(), &mut settled)?;
    }
    Ok(())
}

/// Follows dependencies depth first; a step met again on its own way closes a circle.
fn walk<'s>(
    ids: &BTreeMap<&str, &'s Step>,
    id: &'s str,
    way: &mut Vec<&'s str>,
    settled: &mut BTreeSet<&'s str>,
) -> Result<(), Unplannable> {
    if let Some(at) = way.iter().position(|met| *met == id) {
        let cycle = way[at..].iter().chain([&id]).map(|id| (*id).to_owned()).collect();
        return Err(Unplannable::Cycle { cycle });
    }
    if settled.contains(id) {
        return Ok(());
    }
    way.push(id);
    for next in ids.get(id).map(|step| step.depends_on.as_slice()).unwrap_or_default() {
        walk(ids, next, way, settled)?;
    }
    way.pop();
    settled.insert(id);
    Ok(())
}

/// The next step among all, phase by phase.
///
/// # Errors
/// An expression that cannot be used.
pub fn plan(steps: &[Step], progress: &Progress<'_>) -> Result<Plan, Unplannable> {
    let mut plan = Plan::default();
    let mut out: BTreeMap<&str, bool> = BTreeMap::new();
    let mut at = 0;
    while at < steps.len() {
        let phase = &steps[at].phase;
        let end = at + steps[at..].iter().take_while(|step| step.phase == *phase).count();
        if !progress.phases.contains(phase) {
            plan.next = next_in(steps, at..end, progress, &mut out, &mut plan.left_out)?;
            if plan.next.is_some() {
                return Ok(plan);
            }
        }
        at = end;
    }
    Ok(plan)
}

/// The next step of one phase. `out` holds what is left out, and whether by its own `skip_if`.
fn next_in<'s>(
    steps: &'s [Step],
    range: std::ops::Range<usize>,
    progress: &Progress<'_>,
    out: &mut BTreeMap<&'s str, bool>,
    left_out: &mut Vec<(String, String)>,
) -> Result<Option<usize>, Unplannable> {
    let is_done = |step: &Step| progress.steps.contains(&step.id);
    for step in steps[range.clone()].iter().filter(|step| !is_done(step)) {
        let depth = progress.depths.get(&step.phase).cloned();
        let depth = depth.unwrap_or_else(|| step.depth.to_string());
        let facts = Facts { phase: step.phase.clone(), depth, ..progress.facts.clone() };
        if skip::is_skipped(step, &facts)? {
            left_out.push((step.id.clone(), format!("its `skip_if` holds ({})", step.skip_if)));
            out.insert(&step.id, true);
        }
    }
    loop {
        let open: Vec<usize> = range
            .clone()
            .filter(|at| !is_done(&steps[*at]) && !out.contains_key(steps[*at].id.as_str()))
            .collect();
        if open.is_empty() {
            return Ok(None);
        }
        let met: Vec<(usize, Met)> =
            open.iter().map(|at| (*at, unmet(&steps[*at], steps, &open, progress, out))).collect();
        // A step that can never run goes first: others may wait for it.
        let never: Vec<(usize, String)> = met
            .iter()
            .filter_map(|(at, met)| match met {
                Met::Never(why) => Some((*at, why.clone())),
                _ => None,
            })
            .collect();
        if never.is_empty() {
            return Ok(met.into_iter().find(|(_, met)| matches!(met, Met::Yes)).map(|(at, _)| at));
        }
        for (at, why) in never {
            left_out.push((steps[at].id.clone(), why));
            out.insert(&steps[at].id, false);
        }
    }
}

enum Met {
    Yes,
    /// A dependency of the same phase is still open.
    Waits,
    Never(String),
}

fn unmet(
    step: &Step,
    steps: &[Step],
    open: &[usize],
    progress: &Progress<'_>,
    out: &BTreeMap<&str, bool>,
) -> Met {
    let mut waits = false;
    for id in step.depends_on.iter().filter(|id| !progress.steps.contains(id)) {
        let Some(other) = steps.iter().find(|other| other.id == *id) else {
            return Met::Never(format!("it depends on step {id}, and there is none"));
        };
        match out.get(id.as_str()) {
            Some(true) => continue,
            Some(false) => return Met::Never(format!("it depends on step {id}, which was left out")),
            None => {}
        }
        if progress.phases.contains(&other.phase) || other.phase < step.phase {
            continue;
        }
        if open.iter().any(|at| steps[*at].id == *id) {
            waits = true;
        } else {
            return Met::Never(format!("it depends on step {id}, which comes in a later phase"));
        }
    }
    if waits { Met::Waits } else { Met::Yes }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(id: &str, depends_on: &str, skip_if: &str) -> Step {
        let text = format!(
            "---\nstep_id: \"{id}\"\ntitle: T\npersona: business-analyst\ndepth: brief\noutputs: [a.md]\ndepends_on: {depends_on}\nskip_if: \"{skip_if}\"\n---\n"
        );
        Step::read(&format!("{}-phase/{}-t.md", &id[..2], &id[3..]), &text).unwrap()
    }

    /// The whole walk: ids in order, what is left out in brackets.
    fn walked(steps: &[Step]) -> String {
        let (mut done, mut told) = (Vec::new(), Vec::new());
        let mut left = Vec::new();
        loop {
            let progress = Progress { steps: &done, ..Progress::default() };
            let found = plan(steps, &progress).unwrap();
            for (id, _) in &found.left_out {
                if !left.contains(id) {
                    left.push(id.clone());
                    told.push(format!("[{id}]"));
                }
            }
            let Some(next) = found.next else { return told.join(" ") };
            told.push(steps[next].id.clone());
            done.push(steps[next].id.clone());
        }
    }

    #[test]
    fn ac_004_04_steps_are_walked_in_numeric_order() {
        let steps = [step("00-01", "[]", ""), step("00-02", "[]", ""), step("01-01", "[\"00-02\"]", "")];
        assert_eq!(walked(&steps), "00-01 00-02 01-01");
    }

    #[test]
    fn a_step_waits_for_a_later_one_of_its_phase() {
        let steps = [step("01-01", "[\"01-03\"]", ""), step("01-02", "[]", ""), step("01-03", "[]", "")];
        assert_eq!(walked(&steps), "01-02 01-03 01-01");
    }

    #[test]
    fn what_can_never_be_met_is_left_out_and_what_skip_if_left_out_is_met() {
        let steps = [
            step("01-01", "[\"09-99\"]", ""),
            step("01-02", "[\"01-01\"]", ""),
            step("01-03", "[\"02-01\"]", ""),
            step("01-04", "[]", "scope !== 'large'"),
            step("01-05", "[\"01-04\"]", ""),
            step("02-01", "[\"01-01\"]", ""),
        ];
        assert_eq!(walked(&steps), "[01-04] [01-01] [01-03] [01-02] 01-05 [02-01]");
        let progress = Progress::default();
        assert!(plan(&steps[..1], &progress).unwrap().left_out[0].1.contains("09-99"));
    }

    #[test]
    fn a_completed_phase_meets_what_depends_on_it() {
        let steps = [step("01-01", "[]", ""), step("02-01", "[\"01-01\"]", "")];
        let phases = ["01-phase".to_owned()];
        let progress = Progress { phases: &phases, ..Progress::default() };
        assert_eq!(plan(&steps, &progress).unwrap().next, Some(1));
    }

    #[test]
    fn a_circle_is_named() {
        let steps = [
            step("01-01", "[\"01-03\"]", ""),
            step("01-02", "[\"01-01\"]", ""),
            step("01-03", "[\"01-02\"]", ""),
        ];
        let error = check(&steps, &Facts::default()).unwrap_err().to_string();
        assert!(error.contains("01-01 -> 01-03 -> 01-02 -> 01-01"), "{error}");
        let itself = [step("01-01", "[\"01-01\"]", "")];
        assert!(check(&itself, &Facts::default()).unwrap_err().to_string().contains("01-01 -> 01-01"));
        let twins = [step("01-01", "[]", ""), step("01-01", "[]", "")];
        assert!(check(&twins, &Facts::default()).unwrap_err().to_string().contains("two step files"));
    }
}
