"""The data of a lake in an object store that speaks the protocol of Amazon S3."""
