"""What can go wrong in the stores. Every message says what happened, with which value, and what to do."""


class StoreError(Exception):
    """Root of every error raised by the stores."""


class InputRefusedError(StoreError):
    """A name, a text or a number that no store takes, whatever it holds: the caller has to write it otherwise."""


class DocumentError(StoreError):
    """A file that cannot be taken in. The message is what the user sees beside the file."""


class DocumentUnsupportedError(DocumentError):
    """No parser reads this kind of file."""


class DocumentEncryptedError(DocumentError):
    """The file asks for a password."""


class DocumentEmptyError(DocumentError):
    """The file holds no text: zero bytes, only white space, or pages without a text layer."""


class DocumentDamagedError(DocumentError):
    """The file is truncated, binary under a text name, or otherwise not what its name says."""


class DocumentEncodingError(DocumentError):
    """The bytes are text in no encoding that Recite knows."""


class DocumentTooLargeError(DocumentError):
    """The file is over the size or page limit."""


class UnknownDocumentError(StoreError):
    """No document with this id that this user may see."""


class IndexMismatchError(StoreError):
    """The index was built with another parser, chunker, tokenizer or embedder."""


class IndexInUseError(StoreError):
    """Another process owns the data directory and cannot be reached."""


class IndexDamagedError(StoreError):
    """The data directory cannot be opened: a file in it is damaged."""


class IndexUnreachableError(StoreError):
    """The server that holds an index does not answer."""


class SearchFailedError(StoreError):
    """Every leg of the search failed."""


class UnknownThreadError(StoreError):
    """No conversation with this id or name belongs to this user."""


class ForeignThreadError(StoreError):
    """The conversation belongs to another user."""


class UnknownMemoryError(StoreError):
    """No memory with this id belongs to this user."""
