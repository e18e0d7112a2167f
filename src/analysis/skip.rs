//! `skip_if`: whether a step is left out (analysis AC-012-02). An expression of minijinja's over `scope`,
//! `complexity`, `phase`, `depth` and `item`, in which JavaScript's `===`, `!==`, `&&`, `||` and `!` mean
//! what they mean there. It is the step file's own text, never anybody's words; it runs on fuel.

use minijinja::{Environment, UndefinedBehavior, Value, context};

use crate::item::step::Step;
use crate::text::finding::{Excerpt, Finding};
use crate::text::plain;

/// Instructions an expression may spend.
const FUEL: u64 = 20_000;
/// Longer expressions are none.
const LONGEST: usize = 500;

/// What an expression may ask for; what is not known is the text `unknown`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    pub scope: Option<String>,
    pub complexity: Option<String>,
    pub phase: String,
    pub depth: String,
    /// The item's folder, and its name for people.
    pub item: String,
    pub item_name: String,
}

impl Facts {
    fn values(&self) -> Value {
        let known = |value: &Option<String>| value.clone().unwrap_or_else(|| "unknown".to_owned());
        context! {
            scope => known(&self.scope),
            complexity => known(&self.complexity),
            phase => self.phase.as_str(),
            depth => self.depth.as_str(),
            item => context! {
                slug => self.item.rsplit('/').next(),
                path => self.item.as_str(),
                name => self.item_name.as_str(),
            },
        }
    }
}

/// Whether the step is skipped.
///
/// # Errors
/// An expression that cannot be read, uses an unknown name, or does not end, with its place.
pub fn is_skipped(step: &Step, facts: &Facts) -> Result<bool, Box<Finding>> {
    if step.skip_if.is_empty() {
        return Ok(false);
    }
    let wrong = |message: String| {
        let line = format!("skip_if: {}", plain::cut(&step.skip_if, 100));
        let excerpt = Some(Box::new(Excerpt::of(&line, 1)));
        let message = format!("the `skip_if` of step {} {message}", step.id);
        let finding = Finding::at(&step.path, "", step.skip_line, 1, message);
        Box::new(Finding { excerpt, ..finding }.hint(
            "write an expression over scope, complexity, phase, depth and item, such as \"scope == 'small'\"",
        ))
    };
    if step.skip_if.chars().count() > LONGEST {
        return Err(wrong(format!("is longer than {LONGEST} characters")));
    }
    let mut environment = Environment::empty();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(FUEL));
    let source = translated(&step.skip_if);
    let reason = |error: minijinja::Error| {
        let detail = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
        wrong(format!("cannot be used: {}", plain::shown(&detail)))
    };
    let expression = environment.compile_expression(&source).map_err(reason)?;
    let value = expression.eval(facts.values()).map_err(reason)?;
    if value.is_undefined() {
        return Err(wrong("uses a name that there is not".to_owned()));
    }
    Ok(value.is_true())
}

/// JavaScript's operators as minijinja has them; what is in quotes stays.
fn translated(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    let mut quote: Option<char> = None;
    while let Some(found) = rest.chars().next() {
        if let Some(open) = quote {
            if found == open {
                quote = None;
            }
        } else if matches!(found, '\'' | '"') {
            quote = Some(found);
        } else if let Some((from, to)) = OPERATORS.iter().find(|(from, _)| rest.starts_with(from)) {
            out.push_str(to);
            rest = &rest[from.len()..];
            continue;
        }
        out.push(found);
        rest = &rest[found.len_utf8()..];
    }
    out
}

/// The longest first.
const OPERATORS: [(&str, &str); 8] = [
    ("===", "=="),
    ("!==", "!="),
    ("==", "=="),
    ("!=", "!="),
    ("&&", " and "),
    ("||", " or "),
    ("!", " not "),
    ("null", "none"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn step(skip_if: &str) -> Step {
        let quoted = serde_json::Value::from(skip_if).to_string();
        let text = format!(
            "---\nstep_id: \"01-09\"\ntitle: T\npersona: business-analyst\ndepth: brief\noutputs: [a.md]\nskip_if: {quoted}\n---\n"
        );
        Step::read("01-requirements/09-t.md", &text).unwrap()
    }

    fn facts() -> Facts {
        Facts {
            scope: Some("small".into()),
            phase: "01-requirements".into(),
            depth: "brief".into(),
            item: "docs/requirements/late-fees".into(),
            item_name: "late fees".into(),
            ..Facts::default()
        }
    }

    #[test]
    fn ac_012_02_skip_if_is_an_expression_over_scope_complexity_phase_depth_and_item() {
        for (expression, wanted) in [
            ("", false),
            ("scope === 'small'", true),
            ("scope == \"small\" && depth !== 'deep'", true),
            ("scope in ['medium', 'large'] || phase == '01-requirements'", true),
            ("!(scope == 'small')", false),
            ("complexity == 'unknown'", true),
            ("item.slug == 'late-fees' and 'fees' in item.name", true),
            ("scope == '==='", false),
            ("false", false),
        ] {
            assert_eq!(is_skipped(&step(expression), &facts()).unwrap(), wanted, "{expression}");
        }
    }

    #[test]
    fn a_broken_expression_is_an_error_with_its_place() {
        for expression in
            ["scope ==", "scop == 'small'", "item.x == 1", "a(", "range(999999999)|list", "{{ scope }}"]
        {
            let error = is_skipped(&step(expression), &facts()).unwrap_err().to_string();
            assert!(error.contains("01-requirements/09-t.md:7:1") && error.contains("01-09"), "{error}");
        }
        assert!(is_skipped(&step(&"x".repeat(600)), &facts()).is_err());
    }
}
