//! Finds what looks like a credential in a text and masks it, before the text is recorded.
//!
//! Only shapes that their makers document are known: a prefix, an alphabet and a length each ([`SHAPES`]),
//! and a few that need more than that (JSON Web Tokens, private keys, passwords in addresses and settings). A hash, a
//! UUID or a commit id is none of them. Each part of a text is read a bounded number of times.
//!
//! ```
//! use roundtable::text::secrets::mask;
//!
//! assert!(mask("The commit is 53bf0df4a0f1e2d3c4b5a69788796a5b4c3d2e1f.").is_none());
//! let (text, masked) = mask("Clone https://sam:corr3ct-h0rse@git.example.org/x first.").unwrap();
//! assert_eq!(text, "Clone https://sam:[masked: password]@git.example.org/x first.");
//! assert_eq!(masked[0].kind, "password");
//! ```

use std::ops::Range;

/// A credential that was masked; the credential itself is not in here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Masked {
    /// What it looks like: `GitHub token`.
    pub kind: &'static str,
    /// Where it was in the text before it was masked, in bytes.
    pub at: Range<usize>,
}

/// The text with its credentials masked, and which they were; none where there is nothing to mask.
pub fn mask(text: &str) -> Option<(String, Vec<Masked>)> {
    let found = find(text.as_bytes());
    if found.is_empty() {
        return None;
    }
    let (mut masked, mut end) = (String::with_capacity(text.len()), 0);
    for Masked { kind, at } in &found {
        // Every credential is ASCII from its first byte to its last.
        masked.push_str(text.get(end..at.start).unwrap_or_default());
        masked.push_str(&format!("[masked: {kind}]"));
        end = at.end;
    }
    masked.push_str(text.get(end..).unwrap_or_default());
    Some((masked, found))
}

/// The kinds of what was masked, each once, as a sentence names them: `a GitHub token, 2 passwords`.
pub fn named(masked: &[Masked]) -> String {
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for Masked { kind, .. } in masked {
        match kinds.iter_mut().find(|(known, _)| known == kind) {
            Some((_, count)) => *count += 1,
            None => kinds.push((kind, 1)),
        }
    }
    let one = |kind: &str| {
        let article = if kind.starts_with(['A', 'O', 'a', 'n']) { "an" } else { "a" };
        format!("{article} {kind}")
    };
    let named = kinds.iter().map(|(kind, count)| match count {
        1 => one(kind),
        count => format!("{count} {kind}s"),
    });
    named.collect::<Vec<_>>().join(", ")
}

/// The signs that a credential's body is made of, besides letters and digits.
type Signs = &'static [u8];

const PLAIN: Signs = b"";
const WORD: Signs = b"_";
const DASHED: Signs = b"_-";
const DOTTED: Signs = b"_-.";

/// A documented form of credentials: a prefix and a body.
struct Shape {
    kind: &'static str,
    prefix: &'static str,
    signs: Signs,
    /// How many bytes the body has, from and to.
    length: (usize, usize),
}

/// No upper limit for a body.
const ANY: usize = usize::MAX;

const fn shape(kind: &'static str, prefix: &'static str, signs: Signs, length: (usize, usize)) -> Shape {
    Shape { kind, prefix, signs, length }
}

/// The forms that makers of tokens document. Where two begin alike the longer prefix comes first.
const SHAPES: [Shape; 51] = [
    shape("GitHub token", "ghp_", WORD, (36, 255)),
    shape("GitHub token", "gho_", WORD, (36, 255)),
    shape("GitHub token", "ghu_", WORD, (36, 255)),
    shape("GitHub token", "ghs_", DOTTED, (36, ANY)),
    shape("GitHub token", "ghr_", WORD, (36, 255)),
    shape("GitHub token", "github_pat_", WORD, (50, 255)),
    shape("GitLab token", "glpat-", DOTTED, (20, 255)),
    shape("GitLab token", "gldt-", DASHED, (20, 255)),
    shape("GitLab token", "glrt-", DOTTED, (20, 255)),
    shape("GitLab token", "glptt-", DASHED, (40, 255)),
    shape("AWS access key", "AKIA", PLAIN, (16, 16)),
    shape("AWS access key", "ASIA", PLAIN, (16, 16)),
    shape("Slack token", "xoxa-", DASHED, (20, 255)),
    shape("Slack token", "xoxb-", DASHED, (20, 255)),
    shape("Slack token", "xoxe-", DASHED, (20, 255)),
    shape("Slack token", "xoxe.xoxp-", DASHED, (20, 255)),
    shape("Slack token", "xoxp-", DASHED, (20, 255)),
    shape("Slack token", "xoxr-", DASHED, (20, 255)),
    shape("Slack token", "xoxs-", DASHED, (20, 255)),
    shape("Slack token", "xapp-", DASHED, (20, 255)),
    shape("Google API key", "AIza", DASHED, (35, 35)),
    shape("Google token", "ya29.", DASHED, (30, ANY)),
    shape("Google client secret", "GOCSPX-", DASHED, (28, 28)),
    shape("Stripe key", "sk_live_", PLAIN, (16, 255)),
    shape("Stripe key", "sk_test_", PLAIN, (16, 255)),
    shape("Stripe key", "rk_live_", PLAIN, (16, 255)),
    shape("Stripe key", "rk_test_", PLAIN, (16, 255)),
    shape("Stripe secret", "whsec_", PLAIN, (24, 255)),
    shape("Anthropic key", "sk-ant-", DASHED, (24, 255)),
    shape("OpenAI key", "sk-proj-", DASHED, (24, 255)),
    shape("OpenAI key", "sk-svcacct-", DASHED, (24, 255)),
    shape("OpenAI key", "sk-admin-", DASHED, (24, 255)),
    shape("API key", "sk-or-v1-", PLAIN, (40, 255)),
    shape("API key", "sk-", PLAIN, (32, 128)),
    shape("npm token", "npm_", PLAIN, (36, 36)),
    shape("PyPI token", "pypi-", DASHED, (50, ANY)),
    shape("crates.io token", "cio", PLAIN, (32, 32)),
    shape("Docker token", "dckr_pat_", DASHED, (20, 255)),
    shape("Hugging Face token", "hf_", PLAIN, (30, 60)),
    shape("Shopify token", "shpat_", PLAIN, (32, 32)),
    shape("Shopify token", "shpca_", PLAIN, (32, 32)),
    shape("Shopify secret", "shpss_", PLAIN, (32, 32)),
    shape("DigitalOcean token", "dop_v1_", PLAIN, (64, 64)),
    shape("DigitalOcean token", "doo_v1_", PLAIN, (64, 64)),
    shape("Databricks token", "dapi", DASHED, (32, 34)),
    shape("Vault token", "hvs.", DASHED, (24, ANY)),
    shape("Linear key", "lin_api_", PLAIN, (32, 64)),
    shape("Grafana token", "glsa_", WORD, (32, 64)),
    shape("Postman key", "PMAK-", DASHED, (50, 80)),
    shape("SendGrid key", "SG.", DOTTED, (66, 66)),
    shape("age secret key", "AGE-SECRET-KEY-1", PLAIN, (50, 64)),
];

/// A body with fewer different signs is a placeholder: `ghp_xxxxxxxx…`.
const LEAST_DIFFERENT: usize = 7;

fn find(text: &[u8]) -> Vec<Masked> {
    let (mut found, mut at) = (Vec::new(), 0);
    while at < text.len() {
        let next = match text[at] {
            b'-' => private_key(text, at).map(|end| Masked { kind: "private key", at: at..end }),
            b':' => webhook(text, at).or_else(|| password(text, at)).or_else(|| basic(text, at)),
            byte if byte.is_ascii_alphanumeric() && begins(text, at) => {
                token(text, at).or_else(|| setting(text, at))
            }
            // `DB_PASSWORD=…`
            byte if byte.is_ascii_alphabetic() && is_of(text[at - 1], DASHED) => setting(text, at),
            _ => None,
        };
        at = next.as_ref().map_or(at + 1, |masked| masked.at.end);
        found.extend(next);
    }
    found
}

/// Whether a word begins here, as tokens count them.
fn begins(text: &[u8], at: usize) -> bool {
    at.checked_sub(1).is_none_or(|before| !is_of(text[before], DASHED))
}

fn is_of(byte: u8, signs: Signs) -> bool {
    byte.is_ascii_alphanumeric() || signs.contains(&byte)
}

/// How many bytes from here on a body may have; one more than `most` is enough to know that it is longer.
fn run(text: &[u8], from: usize, signs: Signs, most: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    rest.iter().take(most.saturating_add(1)).take_while(|byte| is_of(**byte, signs)).count()
}

/// The token that begins here, if one does.
fn token(text: &[u8], at: usize) -> Option<Masked> {
    let rest = &text[at..];
    let shaped = SHAPES.iter().find_map(|shape| {
        let body = at + rest.strip_prefix(shape.prefix.as_bytes()).map(|_| shape.prefix.len())?;
        let length = run(text, body, shape.signs, shape.length.1);
        let end = body + length - text[body..body + length].iter().rev().take_while(|b| **b == b'.').count();
        let is_long = (shape.length.0..=shape.length.1).contains(&(end - body));
        (is_long && is_random(&text[body..end])).then_some(Masked { kind: shape.kind, at: at..end })
    });
    shaped.or_else(|| web_token(text, at)).or_else(|| bearer(text, at)).or_else(|| aws_secret(text, at))
}

/// Whether a body looks like one that a machine made: no placeholder, no words with hyphens between them.
fn is_random(body: &[u8]) -> bool {
    let mut seen = [false; 256];
    body.iter().for_each(|byte| seen[usize::from(*byte)] = true);
    let different = seen.iter().filter(|seen| **seen).count();
    let is_mixed = body.iter().any(u8::is_ascii_digit) || body.iter().any(u8::is_ascii_uppercase);
    different >= LEAST_DIFFERENT && is_mixed
}

/// A JSON Web Token: two parts that begin like an object in base64, and a signature.
fn web_token(text: &[u8], at: usize) -> Option<Masked> {
    let mut end = at;
    for (part, begin) in [&b"eyJ"[..], b"eyJ", b""].into_iter().enumerate() {
        if part > 0 {
            end += usize::from(text.get(end) == Some(&b'.'));
        }
        let length = run(text, end, DASHED, ANY);
        if length < 16 || !text[end..].starts_with(begin) {
            return None;
        }
        end += length;
    }
    Some(Masked { kind: "JSON Web Token", at: at..end })
}

/// What follows `Bearer ` or `Basic ` in a header.
fn bearer(text: &[u8], at: usize) -> Option<Masked> {
    let schemes = [&b"Bearer "[..], b"bearer ", b"Basic "];
    let scheme = schemes.into_iter().find(|scheme| text[at..].starts_with(scheme))?;
    let start = at + scheme.len();
    let end = start + run(text, start, b"_-.~+/=", ANY);
    let body = text[start..end].trim_ascii_end();
    let has_digit = body.iter().any(u8::is_ascii_digit);
    (body.len() >= 20 && has_digit && is_random(body))
        .then_some(Masked { kind: "token of a header", at: start..end })
}

/// The secret half of an AWS key, which has no prefix of its own, after the name of its setting.
fn aws_secret(text: &[u8], at: usize) -> Option<Masked> {
    const NAME: usize = "aws_secret_access_key".len();
    let name = text.get(at..at + NAME)?;
    if !name.eq_ignore_ascii_case(b"aws_secret_access_key") {
        return None;
    }
    let between = text[at + NAME..].iter().take(5).take_while(|byte| b" =:\"'".contains(byte)).count();
    let start = at + NAME + between;
    let length = run(text, start, b"/+", 40);
    let is_one = between > 0 && length == 40 && is_random(&text[start..start + length]);
    is_one.then_some(Masked { kind: "AWS secret key", at: start..start + length })
}

/// The settings whose value is secret whatever it looks like, in lower case.
const SETTINGS: [(&str, &str); 5] = [
    ("password", "password"),
    ("passwd", "password"),
    ("pwd", "password"),
    ("accountkey", "Azure key"),
    ("sharedaccesskey", "Azure key"),
];
/// The settings whose value is secret where it looks like one that a machine made, in lower case.
const KEYS: [(&str, &str); 8] = [
    ("api_key", "API key"),
    ("api-key", "API key"),
    ("apikey", "API key"),
    ("access_key", "API key"),
    ("secret_key", "secret"),
    ("secret", "secret"),
    ("authtoken", "token"),
    ("token", "token"),
];
/// A value of a setting has from so many to so many bytes.
const VALUE: (usize, usize) = (6, 255);
/// The value of a key has at least so many.
const LEAST_KEY: usize = 16;

/// The value of a setting by its name: `password=…`, `passwd: …`, `GITHUB_TOKEN=…`. What is code or a placeholder is none;
/// after a colon only what has letters and digits is one, because prose has colons, too.
fn setting(text: &[u8], at: usize) -> Option<Masked> {
    if at > 0 && text[at - 1].is_ascii_alphanumeric() {
        return None;
    }
    let is_named = |name: &str| {
        text.get(at..at + name.len()).is_some_and(|word| word.eq_ignore_ascii_case(name.as_bytes()))
    };
    let is_key = |name: &str| KEYS.iter().any(|(known, _)| *known == name);
    let (name, kind) = SETTINGS.into_iter().chain(KEYS).find(|(name, _)| is_named(name))?;
    let after = &text[at + name.len()..];
    let quote = usize::from(after.first().is_some_and(|byte| b"\"'".contains(byte)));
    let sign = *after.get(quote).filter(|byte| b"=:".contains(byte))?;
    let between = after[quote + 1..].iter().take(4).take_while(|byte| b" \"'".contains(byte)).count();
    let start = at + name.len() + quote + 1 + between;
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`;,&".contains(byte);
    let value = text[start..].iter().take(VALUE.1 + 1).position(is_end);
    let value = &text[start..start + value.unwrap_or_else(|| text[start..].len().min(VALUE.1 + 1))];
    let is_code = value.iter().any(|byte| b"()[]{}<>$%*".contains(byte));
    let is_mixed = value.iter().any(u8::is_ascii_digit) && value.iter().any(u8::is_ascii_alphabetic);
    let is_placeholder = PLACEHOLDERS.iter().any(|known| value.eq_ignore_ascii_case(known))
        || value.iter().all(|byte| matches!(byte, b'x' | b'X' | b'.'));
    let is_long = (VALUE.0..=VALUE.1).contains(&value.len());
    let is_made =
        || value.len() >= LEAST_KEY && is_random(value) && value.iter().all(|byte| is_of(*byte, b"_-./+=~"));
    let is_secret =
        if is_key(name) { is_mixed && is_made() } else { is_mixed || sign == b'=' && between == 0 };
    let is_one = is_long && !is_code && !is_placeholder && is_secret;
    is_one.then_some(Masked { kind, at: start..start + value.len() })
}

/// The path of a webhook's address, which is all that is needed to write there; `at` is the colon of the scheme.
fn webhook(text: &[u8], at: usize) -> Option<Masked> {
    let begins = [
        &b"://hooks.slack.com/services/"[..],
        b"://hooks.slack.com/workflows/",
        b"://hooks.slack.com/triggers/",
    ];
    let begin = begins.into_iter().find(|begin| text[at..].starts_with(begin))?;
    let start = at + begin.len();
    let length = run(text, start, b"/_-", ANY);
    let body = &text[start..start + length];
    (length >= 16 && is_random(body)).then_some(Masked { kind: "Slack webhook", at: start..start + length })
}

/// A password behind `-u NAME:`, as curl takes it; `at` is the colon.
fn basic(text: &[u8], at: usize) -> Option<Masked> {
    let head = &text[at.saturating_sub(MAX_NAME)..at];
    let name = head.iter().rev().take_while(|byte| is_of(**byte, b"_-.@\\")).count();
    let flag = head[..head.len() - name].trim_ascii_end();
    let is_flag = [&b"-u"[..], b"--user"].iter().any(|known| flag.ends_with(known));
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`$<{".contains(byte);
    let rest = &text[at + 1..];
    let length = rest.iter().take(VALUE.1).position(is_end).unwrap_or_else(|| rest.len().min(VALUE.1));
    let word = &rest[..length];
    let is_placeholder = PLACEHOLDERS.iter().any(|known| word.eq_ignore_ascii_case(known));
    (name > 0 && is_flag && length >= VALUE.0 && !is_placeholder)
        .then_some(Masked { kind: "password", at: at + 1..at + 1 + length })
}

/// The longest name before a password that is looked at, with its flag, in bytes.
const MAX_NAME: usize = 80;

/// A password between `scheme://name:` and `@`; `at` is the colon of the scheme.
fn password(text: &[u8], at: usize) -> Option<Masked> {
    let is_scheme = at > 0 && text[at - 1].is_ascii_alphanumeric();
    let rest = text[at..].strip_prefix(b"://").filter(|_| is_scheme)?;
    let is_end = |byte: &u8| b"/?#\"'`<>()[]{}|\\".contains(byte) || !byte.is_ascii_graphic();
    let length = rest.iter().position(is_end).unwrap_or(rest.len());
    let user = &rest[..memchr::memrchr(b'@', &rest[..length])?];
    let colon = memchr::memchr(b':', user)?;
    let (name, word) = (&user[..colon], &user[colon + 1..]);
    let start = at + 3 + colon + 1;
    let is_placeholder = word.starts_with(b"$")
        || PLACEHOLDERS.iter().any(|known| word.eq_ignore_ascii_case(known) || word == name)
        || word.iter().all(|byte| matches!(byte, b'x' | b'X' | b'*' | b'.'));
    (!word.is_empty() && !is_placeholder)
        .then_some(Masked { kind: "password", at: start..start + word.len() })
}

/// What documents write where a password would be.
const PLACEHOLDERS: [&[u8]; 9] =
    [b"password", b"passwd", b"pass", b"pwd", b"pw", b"secret", b"token", b"changeme", b"redacted"];

/// Where a private key ends that begins here: at its end line, else after its last line of base64.
fn private_key(text: &[u8], at: usize) -> Option<usize> {
    let rest = text[at..].strip_prefix(b"-----BEGIN ")?;
    let title = rest.iter().take(40).position(|byte| *byte == b'-')?;
    let is_private = rest[..title].ends_with(b"PRIVATE KEY") || rest[..title].ends_with(b"PRIVATE KEY BLOCK");
    let body = rest[title..].strip_prefix(b"-----").filter(|_| is_private)?;
    let start = text.len() - body.len();
    let is_key = |byte: u8| is_of(byte, b"+/=:,.()-\\ \t\r\n");
    let mut end = start;
    while text.get(end).is_some_and(|byte| is_key(*byte)) {
        if text[end..].starts_with(b"-----") {
            let close = text[end..].strip_prefix(b"-----END ")?;
            let close = close.iter().take(40).position(|byte| *byte == b'-')? + b"-----END ".len();
            let dashes = text[end + close..].iter().take_while(|byte| **byte == b'-').count();
            return Some(end + close + dashes);
        }
        end += 1;
    }
    cut_off(text, start)
}

/// The end of a private key's lines of base64 where its last line is missing; none where it has none.
fn cut_off(text: &[u8], start: usize) -> Option<usize> {
    let mut end = start;
    loop {
        let gap = text[end..].iter().take_while(|byte| matches!(byte, b' ' | b'\r' | b'\n')).count();
        let length = run(text, end + gap, b"+/=", ANY);
        if length < 16 {
            return (end > start).then_some(end);
        }
        end += gap + length;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Made up, and put together here: no scanner of this repository finds a token in it.
    fn random(length: usize) -> String {
        "a1B2c3D4e5F6g7H8".chars().cycle().take(length).collect()
    }

    fn kinds(text: &str) -> Vec<&'static str> {
        mask(text).map_or(Vec::new(), |(_, masked)| masked.into_iter().map(|masked| masked.kind).collect())
    }

    #[test]
    fn every_shape_is_found_where_it_stands_and_masked_whole() {
        for shape in &SHAPES {
            let secret = format!("{}{}", shape.prefix, random(shape.length.0));
            for text in [secret.clone(), format!("It is \"{secret}\"."), format!("TOKEN={secret}\nnext")] {
                let (masked, found) = mask(&text).unwrap_or_else(|| panic!("{text}"));
                assert!(!masked.contains(&random(12)), "{masked}");
                assert_eq!(found.len(), 1, "{text}");
                assert!(masked.contains("[masked: "), "{masked}");
                assert!(mask(&masked).is_none(), "{masked}");
            }
            let glued = format!("x{secret}");
            assert!(mask(&glued).is_none() || shape.prefix.contains('.'), "{glued}");
        }
    }

    #[test]
    fn what_needs_more_than_a_prefix_is_found() {
        let part = format!("eyJ{}", random(20));
        assert_eq!(kinds(&format!("see {part}.{part}.{}", random(43))), ["JSON Web Token"]);
        assert_eq!(kinds(&format!("Authorization: Bearer {}", random(40))), ["token of a header"]);
        assert_eq!(kinds(&format!("aws_secret_access_key = {}", random(40))), ["AWS secret key"]);
        assert_eq!(kinds("postgres://app:n0t-here@db.example.org/x"), ["password"]);
        let path = format!("T0A1B2C3D/B4E5F6G7H/{}", random(24));
        for kind in ["services", "workflows", "triggers"] {
            assert_eq!(kinds(&format!("curl https://hooks.slack.com/{kind}/{path} now")), ["Slack webhook"]);
        }
        let azure = format!(
            "DefaultEndpointsProtocol=https;AccountName=a;AccountKey={}==;EndpointSuffix=x",
            random(86)
        );
        assert_eq!(kinds(&azure), ["Azure key"]);
        assert!(mask(&azure).unwrap().0.ends_with("AccountKey=[masked: Azure key];EndpointSuffix=x"));
        for text in [
            "password=swordfish",
            "Server=db;Password=Tr0ub4dor;Timeout=3",
            "DB_PASSWORD=\"n0t-here\"",
            "passwd: hunter22 is what I use",
            "{\"password\": \"n0t-here\"}",
        ] {
            assert_eq!(kinds(text), ["password"], "{text}");
            assert!(mask(&mask(text).unwrap().0).is_none(), "{text}");
        }
        assert_eq!(kinds("AKIAIOSFODNN7EXAMPLE"), ["AWS access key"]);
        assert_eq!(kinds("curl -u kim:n0t-here https://x.example.org"), ["password"]);
        for (text, kind) in [
            (format!("API_KEY={}", random(22)), "API key"),
            (format!("X-Api-Key: {}", random(22)), "API key"),
            (format!("GITHUB_TOKEN={}", random(40)), "token"),
            (format!("//registry.example.org/:_authToken={}", random(36)), "token"),
            (format!("client_secret: \"{}\"", random(22)), "secret"),
        ] {
            assert_eq!(kinds(&text), [kind], "{text}");
        }
        for name in ["RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"] {
            let lines = format!("{}\n{}", random(64), random(30));
            let key = format!("-----BEGIN {name}-----\n{lines}\n-----END {name}-----");
            let (masked, _) = mask(&format!("Here:\n{key}\nThat was it.")).unwrap();
            assert_eq!(masked, "Here:\n[masked: private key]\nThat was it.");
            let cut = format!("-----BEGIN {name}-----\n{lines}\n\nWe will see!");
            assert_eq!(mask(&cut).unwrap().0, "[masked: private key]\n\nWe will see!");
            let one_line = key.replace('\n', "\\n");
            assert_eq!(mask(&one_line).unwrap().0, "[masked: private key]");
        }
    }

    #[test]
    fn what_only_looks_a_little_like_one_stays() {
        for text in [
            "The run 3f2504e0-4f89-41d3-9a0c-0305e82c3301 failed.",
            "53bf0df4a0f1e2d3c4b5a69788796a5b4c3d2e1f and 53bf0df",
            "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "Set ghp_ before it, as in ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.",
            "the risk-based-approach-of-the-whole-library-and-more",
            "sk-something-that-is-only-words-with-hyphens-between-them",
            "npm_config_registry and npm_lifecycle_event are variables",
            "The token: is kept. A secret: nobody knows it, API_KEY=... and api_key: your-key",
            "token=get_token(), secret = process.env.SECRET_VALUE_2, token: ${{ secrets.GITHUB_TOKEN }}",
            "docker run -u 1000:1000 image, sort -u a:b",
            "Password: must have 12 signs. Passwd: 8 to 20 characters; the password=…",
            "password=$DB_PASSWORD, password={{ secret }}, password=request.form[\"p\"], password=get_password()",
            "password=password&password=xxxxxxxx, https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXX",
            "A password is asked for: none is kept. AccountKey is a setting.",
            "Bearer tokens are kept for an hour, basic ones longer.",
            "postgres://user:password@localhost/x, https://sam@example.org, http://localhost:8080/a@b",
            "https://example.org/a:b@c and mailto:sam@example.org at 12:30",
            "git clone https://$USER:$TOKEN@example.org/x",
            "-----BEGIN PRIVATE KEY----- is how such a file begins.",
            "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUAn\n-----END CERTIFICATE-----",
            "xoxb- is what a bot's token begins with; AIza, ya29. and SG. are others",
            "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
        ] {
            assert_eq!(kinds(text), Vec::<&str>::new(), "{text}");
        }
    }

    #[test]
    fn what_was_masked_is_named_and_never_shown() {
        let key = format!("{}{}", "sk-ant-", random(30));
        let (_, masked) = mask(&format!("{key} {key} ftp://a:b3c4@d")).unwrap();
        assert_eq!(named(&masked), "2 Anthropic keys, a password");
        assert_eq!(named(&masked[..1]), "an Anthropic key");
    }

    #[test]
    #[allow(clippy::disallowed_methods)] // What is measured is time.
    fn a_long_text_takes_no_longer_than_its_length() {
        for piece in [
            "-----BEGIN PRIVATE KEY-----",
            "eyJ",
            "hvs.",
            "://a:",
            "password=(",
            "a-password=",
            "://hooks.slack.com/services/",
            "sk-",
            "Bearer ",
            "-",
            "SG.eyJa.",
        ] {
            let text = piece.repeat(100_000 / piece.len());
            let begun = std::time::Instant::now();
            let _ = mask(&text);
            assert!(begun.elapsed().as_secs() < 3, "{piece}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_and_what_is_masked_is_masked_once(
            text in "(-----BEGIN |PRIVATE KEY-----|-----END |ghp_|eyJ[a-z0-9]{0,30}\\.|://|:|@|[a-zA-Z0-9]{0,40}|é|\n| ){0,20}"
        ) {
            if let Some((masked, found)) = mask(&text) {
                prop_assert!(!found.is_empty());
                let kept: usize = text.len() - found.iter().map(|masked| masked.at.len()).sum::<usize>();
                let added: usize = found.iter().map(|masked| "[masked: ]".len() + masked.kind.len()).sum();
                prop_assert_eq!(masked.len(), kept + added);
            }
        }
    }
}
