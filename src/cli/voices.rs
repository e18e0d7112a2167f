//! The flags of the voice.

use clap::Args;

use crate::run::voices::Wanted;

/// The heading of what a verb takes for a model.
pub const MODEL: &str = "With a model";

#[derive(Clone, Debug, Default, Args)]
#[group(id = "voices")]
#[command(next_help_heading = MODEL)]
pub struct VoiceArgs {
    /// Who speaks: secretary (built in, no model), claude, codex, gemini, ollama, anthropic, openai,
    /// command:PROG or recorded:FILE [default: secretary]
    #[arg(long, value_name = "VOICE")]
    pub voice: Option<String>,
    /// The model [default for anthropic: claude-opus-5]
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// The service's address: with /v1 for openai, without for anthropic and ollama; else OPENAI_BASE_URL or
    /// ANTHROPIC_BASE_URL
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
    /// How long one answer may take, all tries together [default: 600]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub timeout: Option<u64>,
    /// The most tokens to use in all; a discussion then ends with its synthesis
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_tokens_total: Option<u64>,
    /// The most tokens of one answer, reasoning included [default: what the answer needs, and 16384]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(256..))]
    pub max_answer_tokens: Option<u64>,
    /// Dollars for a million tokens: of prompts, of prompts read from a cache, and of answers
    #[arg(long, value_name = "IN,CACHED,OUT")]
    pub price: Option<String>,
}

impl VoiceArgs {
    /// The voice that the flags ask for.
    pub fn wanted(&self) -> Wanted {
        Wanted {
            voice: self.voice.clone(),
            model: self.model.clone(),
            base_url: self.base_url.clone(),
            timeout: self.timeout,
            max_tokens_total: self.max_tokens_total,
            max_answer_tokens: self.max_answer_tokens,
            price: self.price.clone(),
            is_only_planned: false,
            refuses_programs: false,
        }
    }
}
