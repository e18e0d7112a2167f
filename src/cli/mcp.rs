//! `roundtable mcp`: the table for an agent, by the Model Context Protocol.

use clap::Args;

use super::Global;
use super::exit::{Code, Fail};
use crate::run::agent::discussions::Discussions;
use crate::run::agent::server;

#[derive(Debug, Args)]
#[command(
    after_help = "Example: roundtable mcp\n\nAn agent starts it; `roundtable init --agent claude` sets one up."
)]
pub struct McpArgs {}

/// Serves until the client has gone.
pub fn run(global: &Global, _: &McpArgs) -> Result<Code, Fail> {
    server::serve(Discussions::new(global.workspace.clone()))
        .map_err(|error| Fail::new(format!("the Model Context Protocol: {error}")))?;
    Ok(Code::Yes)
}
