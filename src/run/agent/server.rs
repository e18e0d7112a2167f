//! The Model Context Protocol on standard input and output, by the protocol's own SDK: it lists the tools
//! and passes their calls on. A line that is not JSON, which the SDK passes over, is answered here. Nothing else may
//! write to standard output.

use std::io::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, Implementation, JsonObject, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};

use super::discussions::{Discussions, error};
use super::tools::{self, Call};
use crate::run::Fail;

struct Server {
    discussions: Mutex<Discussions>,
    tools: Vec<Tool>,
}

/// Serves until the client closes standard input.
///
/// # Errors
/// The runtime cannot be made, or the client is none.
pub fn serve(discussions: Discussions) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let server = Server { discussions: Mutex::new(discussions), tools: listed() };
    let served = runtime.block_on(async {
        let (lines, read) = tokio::io::duplex(PIPE_BYTES);
        tokio::spawn(pass_on(lines));
        let running = server.serve((read, tokio::io::stdout())).await.map_err(|error| error.to_string())?;
        running.waiting().await.map(drop).map_err(|error| error.to_string())
    });
    // A read of standard input that still waits is not waited for.
    runtime.shutdown_background();
    served
}

/// What the pipe between standard input and the SDK holds.
const PIPE_BYTES: usize = 1 << 16;
/// The answer to a line that is not JSON (JSON-RPC 2.0, 5.1).
const PARSE_ERROR: &[u8] =
    b"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"Parse error: the line is not JSON\"}}\n";

/// Passes on the lines of standard input that are JSON, and answers the others.
async fn pass_on(mut to: DuplexStream) {
    let mut from = BufReader::new(tokio::io::stdin());
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line).await.is_ok_and(|length| length > 0) {
        let is_empty = line.trim_ascii().is_empty();
        let is_passed = match is_empty || serde_json::from_slice::<serde::de::IgnoredAny>(&line).is_ok() {
            true => to.write_all(&line).await.is_ok(),
            // One call writes it whole, so that it does not part another answer.
            false => std::io::stdout().write_all(PARSE_ERROR).is_ok(),
        };
        if !is_passed {
            return;
        }
        line.clear();
    }
}

fn listed() -> Vec<Tool> {
    let of = |tool: tools::Tool| {
        let schema = match tool.takes {
            Value::Object(fields) => fields,
            _ => JsonObject::new(),
        };
        let hints = ToolAnnotations::new().read_only(tool.only_reads).destructive(false).open_world(false);
        Tool::new(tool.name, tool.about, Arc::new(schema)).with_annotations(hints)
    };
    tools::all().into_iter().map(of).collect()
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("roundtable", env!("CARGO_PKG_VERSION")))
            .with_instructions(tools::INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.clone()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let mut discussions = self.discussions.lock().unwrap_or_else(PoisonError::into_inner);
        let answered = match Call::read(&request.name, arguments) {
            Ok(call) => discussions.answer(call),
            Err(why) => Err(error(&Fail::new(why))),
        };
        Ok(match answered {
            Ok(value) => CallToolResult::structured(value),
            Err(value) => CallToolResult::structured_error(value),
        }
        .into())
    }
}
