//! The rule for documents that live: what a document loses must arrive in its archive.
