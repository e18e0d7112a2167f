//! Everything that a discussion starts from: settings, item, step, voice, script, and the log of a run that was cut off.

use super::*;
use crate::persona::{Cast, Persona};

/// Reads everything that a discussion starts from.
pub fn set_up(global: &Global, task: Task, built_in: table::BuiltIn, screen: &Screen) -> Result<Setup, Fail> {
    let repo = open(global)?;
    let branch = before_run::Branch {
        name: task.branch.as_deref(),
        base: task.base.as_deref(),
        leaves_merged: task.leaves_merged,
    };
    let place = before_run::place(&repo, &task.item, &branch, screen)?;
    let config = table::config(global, &repo, place.base)?;
    let trusted = table::trusted(global, &repo, &place, &config)?;
    let fixed = task.fixed;
    let (path, new_meta) = find_or_begin(&repo, &task, &place, &config)?;
    let wanted = Wanted {
        item: &path,
        step: &task.step,
        branch: &place.branch,
        fixed,
        by_agent: task.medium == Medium::Agent,
    };
    let left = task.resume.then(|| begun(&repo, &wanted, screen)).flatten();
    let open = opening(&task);
    // What was begun goes on where it began, wherever the branch is by now.
    let base = match left.as_ref().and_then(Leftover::opened) {
        Some(opened) => repo.resolve(&opened.base)?,
        None => place.base,
    };
    // What stays open keeps the rules it was opened with, and looks at the item as it is now.
    let rules = open.as_ref().map_or(Ok(base), |opened| repo.resolve(&opened.base))?;
    let config = if rules == place.base { config } else { table::config(global, &repo, rules)? };
    let item = repo.item_or_new(base, &path, Begin { meta: new_meta.as_deref(), draft: None })?;
    let draft = draft(&task.script, &item, screen);
    let item = item.with_draft(draft.as_deref());
    before_run::newer(&repo, &place, &item, screen)?;
    let library = built_in.library(&repo, rules, &config)?;
    let step = library.step(&task.step)?;
    let voice = match task.medium {
        Medium::Agent => Choice::Agent,
        _ => Choice::of(&task.voice, &trusted, &step.id, &step.phase)?,
    };
    for output in &step.outputs {
        OutputPath::parse(output)
            .map_err(|refused| Fail::new(format!("step {} ({}): {refused}", step.id, step.path)))?;
    }
    let (lead, known) = library.cast.lead(&step.phase);
    if !known {
        screen
            .warn(&format!("nobody leads the phase \"{}\"; {} leads this discussion", step.phase, lead.name));
    }
    let mut script = task.script;
    tell_of(&script, &library.cast, lead, screen)?;
    let max_turns = task.max_turns.or_else(|| item.meta.max_turns()).or(config.max_turns);
    let begun_with = left.as_ref().and_then(Leftover::opened);
    let is_live = task.medium != Medium::Script;
    let max_turns = max_turns.or(begun_with.map(|opened| opened.max_turns));
    let max_turns = max_turns.unwrap_or_else(|| match task.open {
        Some(_) => discussion::TURNS_ONE_BY_ONE,
        None if is_live => discussion::TURNS_ONE_BY_ONE,
        None => default_turns(script.inputs().flatten().map(|input| input.text.as_str()), &library.cast),
    });
    let digests = library.digests(step);
    let has_critic = !task.voice.no_critic;
    let prices = voices::prices(&task.voice, &trusted, &step.id, &step.phase)?;
    let spoken_by = voices::spoken_by(&voice, &task.voice, &trusted.evidence());
    let author = identity::author(&repo, &trusted, task.signed_off);
    let typed_by = (task.medium == Medium::Keyboard).then(|| author.name.clone());
    // Messages that come one by one are not known yet: what they are added to tells such runs apart.
    let live = is_live.then(|| base.to_string());
    let run = run_id(&item, step, &script, live.as_deref(), max_turns, &digests, &config, &spoken_by, fixed);
    let begun_by = begun_with.filter(|_| is_live).map(|opened| opened.user.clone());
    let opened = Opened {
        format: FORMAT,
        item: item.path.clone(),
        item_name: item.name(),
        step: StepRef {
            id: step.id.clone(),
            title: step.title.clone(),
            phase: step.phase.clone(),
            outputs: step.outputs.clone(),
        },
        lead: lead.key.clone(),
        max_turns,
        base: base.to_string(),
        read: item.ids.clone(),
        branch: place.branch,
        voice: voice.name(),
        model: voice.model(),
        user: script.user.clone().or(begun_by).or(typed_by).unwrap_or_else(|| "User".to_owned()),
        digests,
        author,
        run,
        new_meta: new_meta.filter(|_| item.is_new()),
        draft,
        comments: task.comments.clone(),
        stays_open: task.open.is_some(),
        evidence: evidence(&repo, base, &item, &script, &trusted, &voice)?.sent,
    };
    let opened = match (&open, left.as_ref().and_then(Leftover::opened)) {
        (Some(begun), _) => stayed_open(&opened, begun)?,
        (None, Some(begun)) => gone_on(&opened, begun)?,
        (None, None) => opened,
    };
    before_run::edited(&repo, &item, screen)?;
    if task.open.is_none() {
        before_run::recorded(&repo, base, &item, &opened, &script, screen)?;
    }
    let evidence = match opened.evidence.as_slice() {
        [] => Evidence::default(),
        sent => repo.sent(repo.resolve(&opened.base)?, sent),
    };
    let begun = match task.open {
        Some(open) => resumed(open, task.comments.unwrap_or_default(), base, fixed),
        None => left.map(|left| left.log).unwrap_or_default(),
    };
    let (begun, withdrawn) = match task.medium {
        Medium::Keyboard => keyboard::apart(begun),
        _ => (begun, Vec::new()),
    };
    withdrawn.into_iter().for_each(|message| script.withdraw(message));
    let tokens = task.voice.max_tokens_total;
    let exists = place.exists;
    let rules = Rules::of(&library.own_review_rules())?;
    let medium = task.medium;
    Ok(Setup {
        repo,
        library,
        rules,
        item,
        script,
        opened,
        voice,
        tokens,
        has_critic,
        prices,
        evidence,
        base,
        fixed,
        exists,
        begun,
        medium,
    })
}

/// What a script has to be told of: notes, warnings, names that nobody at the table has. A credential is refused.
fn tell_of(script: &Script, cast: &Cast, lead: &Persona, screen: &Screen) -> Result<(), Fail> {
    for input in script.inputs().flatten() {
        voices::refuse_secrets("the script", &input.text)?;
    }
    script.notes.iter().for_each(|note| screen.note(note));
    script.warnings.iter().for_each(|warning| screen.warn(warning));
    for name in script.inputs().flatten().filter_map(|input| stranger(&input.text, cast)) {
        screen.note(&format!("nobody at the table is called {name}; {} answers", lead.first_name()));
    }
    Ok(())
}

/// What of the repository a model is to read besides the item's documents; the reviewer reads nothing else.
fn evidence(
    repo: &Repo,
    base: Oid,
    item: &Item,
    script: &Script,
    config: &Config,
    voice: &Choice,
) -> Result<Evidence, Fail> {
    if voice.is_reviewer() || matches!(voice, Choice::Agent) {
        return Ok(Evidence::default());
    }
    let messages = script.inputs().flatten().map(|input| input.text.as_str()).collect();
    Ok(repo.evidence(base, item, messages, &config.evidence(), &config.folders())?)
}

/// How the discussion began that stays open, where this run is not its first.
fn opening(task: &Task) -> Option<Opened> {
    match &task.open.as_ref()?.log.first()?.event {
        Event::Opened(opened) => Some(opened.as_ref().clone()),
        _ => None,
    }
}

/// The opening of a discussion that stays open, if this run speaks with the same voice.
fn stayed_open(now: &Opened, begun: &Opened) -> Result<Opened, Fail> {
    if (&now.voice, &now.model) == (&begun.voice, &begun.model) {
        return Ok(begun.clone());
    }
    let name = |opened: &Opened| {
        let model = opened.model.as_ref().map_or(String::new(), |model| format!(" {model}"));
        plain::shown(&format!("{}{model}", opened.voice))
    };
    Err(Fail::new(format!(
        "the discussion of step {} is open and was begun with the voice {}, and {} is set now; go on with the first one, or end it there with a comment that says done",
        begun.step.id,
        name(begun),
        name(now)
    )))
}

/// The draft.md that the item gets: the text of the script's issue, where the item has none yet.
fn draft(script: &Script, item: &Item, screen: &Screen) -> Option<String> {
    let source = script.source.as_ref()?;
    if item.has_draft() {
        return None;
    }
    screen.note(&format!("the issue's text becomes {} of the item; it is no message", item::DRAFT));
    Some(source.draft())
}

/// The recording so far, and the beginning of this run.
fn resumed(open: Open, comments: Vec<u64>, base: Oid, fixed: Option<Time>) -> Vec<Record> {
    let Open { mut log } = open;
    if !log.is_empty() {
        let event = Event::Resumed(Resumed { base: base.to_string(), comments });
        log.push(Record { at: fixed.unwrap_or_else(now), event });
    }
    log
}

/// The item's path, and the text it begins with where it does not exist yet.
fn find_or_begin(
    repo: &Repo,
    task: &Task,
    place: &table::Place,
    config: &Config,
) -> Result<(String, Option<String>), Fail> {
    let found = repo.find_item(place.base, &task.item, &config.folders());
    let (Err(repo::Error::NoItem { .. }), Some((source, name))) = (&found, &task.new) else {
        return Ok((found?, None));
    };
    let path = table::new_path(&task.item, config.items())?;
    let at = task.fixed.unwrap_or_else(now);
    let text = meta::new_item(*source, table::slug(&path), name, at, &place.base.to_string());
    Ok((path, Some(text)))
}

/// The run id: a digest of item, step, inputs, configuration, voice and clock. Without a fixed
/// clock every run is its own.
#[allow(clippy::too_many_arguments)] // They are what the contract lists.
fn run_id(
    item: &Item,
    step: &Step,
    script: &Script,
    live: Option<&str>,
    max_turns: u32,
    digests: &BTreeMap<String, String>,
    config: &Config,
    voice: &str,
    fixed: Option<Time>,
) -> String {
    let mut inputs: Vec<Value> = script
        .inputs()
        .map(|input| {
            input
                .map_or(Value::Null, |input| json!([input.text, input.by, input.at.map(|at| at.to_string())]))
        })
        .chain(live.map(|base| json!({"base": base})))
        .collect();
    inputs.extend(script.source.as_ref().map(|source| json!({"draft": source.draft()})));
    let clock = match fixed {
        Some(at) => json!(at.to_string()),
        None => json!([nanoseconds().to_string(), std::process::id()]),
    };
    let all = json!([
        item.path,
        step.id,
        script.user,
        inputs,
        max_turns,
        digests,
        config.folders().join(" "),
        voice,
        clock
    ]);
    sha256(all.to_string().as_bytes())[..32].to_owned()
}
