//! Which words of a text can name what it is about, and which only hold it together.

use std::collections::HashSet;
use std::sync::LazyLock;

use foldhash::fast::RandomState;

use crate::discussion::words::{is_number, is_significant, stem, words};

type Words = HashSet<&'static str, RandomState>;

/// Words that name no subject: what people do with words, and how they begin and end.
const HOLLOW: &str = "\
    able actually affect afterward afterwards ago agree agreed allow allowed almost already although altogether always anybody anymore anyone \
    anything anyway anywhere ask asked asking away back bad because become becomes believe better both \
    bother called can't cannot choose chooses chosen clear come comes coming count counts couple decide \
    decides depend depends didn't different disagree disagreed disagrees document documents does doesn't \
    don't easiest eight either eleven else end ends enough even ever everybody everyone everywhere \
    exactly fact far find finding fine first follow follows found get gets getting give got given gives giving \
    goes going gone good great half hand happen happened happens having hear heard hello help here's he's she's they're who's \
    herself himself hold holding holds honestly however hundred i'd i'm idea important instead \
    interesting isn't itself keep keeping kept know last later lean least left less let's likely \
    little long look looked looking looks made makes making many matter maybe meaning means might moment \
    must myself name nearly needed neither never news next nine nobody none nor nothing nowhere often okay others \
    otherwise our ours ourselves own part people perhaps place please point put putting question quite \
    rather ready real really remember rest right said same saying says seem seems seen set seven shall \
    show showing shown shows side six small somebody something someone sometimes somewhere soon sort start started \
    starts stay stays still stop stops sure tackle take takes taking talk talked tell telling ten thank thanks \
    themselves there's he's she's they're who's therefore thing things thinks though thought three time times today together told \
    true try turn twelve twenty two unless used using usual wanted wants wasn't way went what's whatever \
    whether whoever whole whom whose wife won't wonder wondering word words work working works worried \
    worry worst would write written wrong yes yesterday yet yourself";

/// What stands before a noun and names nothing itself.
const PREPOSITIONS: &str = "\
    about above across after against along alongside amid among around at before behind below beneath \
    beside besides between beyond by despite down during except for from in inside into like near of off \
    on onto out outside over past per regarding since than through throughout till to toward towards \
    under underneath unlike until unto up upon versus via with within without";

/// The small words of German, as far as no English noun is written like them.
const GERMAN: &str = "\
    aber alle allem allen aller alles als also am an andere anderen ans auch auf aus bei beide beiden \
    beim bis bitte brauchen braucht bzw dabei dafür daher damit danach dann daran darauf daraus darf \
    darin das dass davon davor dazu dein deine dem den denen denkt denn denselben derselbe dieselbe dieselben der deren des deshalb dessen die \
    dies diese diesem diesen dieser dieses doch dort durch durfte dürfen ein eine einem einen einer eines \
    einfach einige einmal einverstanden entschieden er erst es etwa etwas euch euer eure falls findet \
    frage für ganz gar geben gegen geht gemacht genau gern gibt ging glaubt gleich gut haben hat hatte \
    hatten heisst heißt hier hin hinter hätte hätten höchstens ich ihm ihn ihnen ihr ihre ihrem ihren \
    ihrer immer ins ist ja jede jedem jeden jeder jedes jemand jetzt kann kaum kein keine keinem keinen \
    keiner kommen kommt konnte können könnte könnten lang lange lassen letzte letzten letztes leute lässt \
    machen macht man mehr mein meine meinem meinen meiner meint mich mindestens mir mit muss musste \
    müssen müsste müssten nach neben nein nicht nichts nie niemand noch nun nur nächste nächsten ob oder \
    ohne passiert schon sehr sein seine seinem seinen seiner seit sich sie sind so sobald sogar soll \
    sollen sollte sollten sondern sonst sowie statt trotz um und uns unser unsere unserem unseren unserer \
    unter viel viele vielleicht vom von vor vorher wann war waren warum was weder wegen weil welche \
    welchem welchen welcher welches wem wen wenig wenn wer werden weshalb wie wieder wieso wieviel will \
    wir wird wo wohin wohl wollen wollte wollten worden wurde wurden während wäre wären würde würden zu \
    zuerst zum zur zwar zeit zeiten zwei zwischen über übrig";

/// What time is counted in: a subject only behind a figure.
const TIME: &str = "second seconds minute minutes hour hours day days week weeks month months year years";

/// Names of days, months and times of the day.
const CALENDAR: &str = "\
    abend afternoon april august autumn christmas december dezember dienstag donnerstag easter evening \
    fall februar february freitag friday frühling gestern herbst heute jahr jahre januar january juli \
    july june juni mai march may mittag mittwoch monday montag morgen morning märz nacht night noon \
    november october oktober ostern samstag saturday september sommer sonntag spring summer sunday \
    thursday today tomorrow tuesday wednesday weekend weihnachten winter yesterday";

fn set_of(lists: &[&'static str]) -> Words {
    lists.iter().flat_map(|list| list.split_whitespace()).collect()
}

/// A word in lower case without its possessive ending.
fn bare(word: &str) -> &str {
    word.strip_suffix("'s").unwrap_or(word)
}

/// Whether a word can name what a text is about.
pub fn names_something(word: &str) -> bool {
    static NONE: LazyLock<Words> = LazyLock::new(|| set_of(&[HOLLOW, PREPOSITIONS, GERMAN, TIME]));
    let word = bare(word);
    let is_verb = word.ends_with("n't");
    is_significant(word)
        && !is_verb
        && !NONE.contains(word)
        && !word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a word behind a figure says what is counted: "90 minutes", "1 GB", "12 of" do, do, and do not.
pub fn is_unit(word: &str) -> bool {
    static SMALL: LazyLock<Words> = LazyLock::new(|| set_of(&[PREPOSITIONS, GERMAN, TWO_LETTERS]));
    let word = bare(word);
    let long = is_significant(word) || word.chars().count() == 2;
    // "200 really" counts nothing.
    let is_adverb =
        word.len() > 4 && word.ends_with("ly") && !matches!(word, "assembly" | "family" | "supply" | "reply");
    long && !is_adverb && !SMALL.contains(word) && word.chars().all(char::is_alphabetic)
}

/// Words of two letters that are no unit.
const TWO_LETTERS: &str = "am an as at be by do he if in is it me my no of on or pm so to up us we";

/// Whether a word says when something was, and not what.
pub fn is_of_the_calendar(word: &str) -> bool {
    static DAYS: LazyLock<Words> = LazyLock::new(|| set_of(&[CALENDAR, TIME]));
    // "The 5th"
    let ordinal = ["st", "nd", "rd", "th"].iter().find_map(|end| word.strip_suffix(end));
    DAYS.contains(bare(word)) || ordinal.is_some_and(|day| !day.is_empty() && is_number(day) && day.len() < 3)
}

/// Words of every day that many lines share by chance: adjectives, verbs, and nouns for anything.
const WEAK: &str = "\
    able anyone bring brings brought big call called calls carry case change changed changes close closed closes \
    certain common complete convinced correct current daily deep early easy empty extra fast final free \
    fifth fourth full general hard heavy high huge kind large last late leave leaves light list live low main mean new \
    line lines name normal note number team teams old open opens order other pick picks people person place possible public quick quickly run \
    running runs same short similar simple single slow slowly special stand standing stands strong third turn turned turns version work \
    worked working works wait waits weak whole wide";

/// Whether a word tells little by itself: it says when something was, or any text may have it.
pub fn is_weak(word: &str) -> bool {
    static FEW: LazyLock<Words> = LazyLock::new(|| set_of(&[WEAK]));
    FEW.contains(bare(word)) || is_of_the_calendar(word) || is_number(word)
}

/// Whether a word only says where or when.
pub(super) fn is_preposition(word: &str) -> bool {
    static FEW: LazyLock<Words> = LazyLock::new(|| set_of(&[PREPOSITIONS]));
    FEW.contains(word)
}

/// The subjects of a text that can name what it is about; of a compound such as `NFR-007` the parts too,
/// as lines hold them.
pub fn telling(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in words(text).iter().filter(|word| names_something(&word.text)) {
        let whole = stem(&word.text);
        let parts = word.text.split('-').filter(|part| part.len() > 2).map(stem);
        for one in std::iter::once(whole).chain(parts) {
            if !found.iter().any(|other| *other == one) {
                found.push(one.into_owned());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_words_name_nothing_in_any_form() {
        for word in
            ["somebody's", "against", "wenn", "meint", "minutes", "during", "welche", "disagree", "42"]
        {
            assert!(!names_something(word), "{word}");
        }
        for word in ["courier's", "battery", "saal", "protocol"] {
            assert!(names_something(word), "{word}");
        }
    }

    #[test]
    fn behind_a_figure_time_is_counted_and_a_small_word_is_not() {
        for word in ["minutes", "hour", "gb", "couriers", "euros", "tage"] {
            assert!(is_unit(word), "{word}");
        }
        for word in ["of", "and", "during", "in", "2"] {
            assert!(!is_unit(word), "{word}");
        }
        assert!(is_of_the_calendar("tuesday") && !is_of_the_calendar("courier"));
    }
}
