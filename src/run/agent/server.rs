//! The Model Context Protocol on standard input and output, by the protocol's own SDK: it lists the tools
//! and passes their calls on. Nothing else may write to standard output.

use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, Implementation, JsonObject, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::transport::stdio;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};
use serde_json::Value;

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
        let running = server.serve(stdio()).await.map_err(|error| error.to_string())?;
        running.waiting().await.map(drop).map_err(|error| error.to_string())
    });
    // A read of standard input that still waits is not waited for.
    runtime.shutdown_background();
    served
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
