"""Where the indexes of documents can live: one file per backend, all behind the ports of `stores.documents.indexes`."""
