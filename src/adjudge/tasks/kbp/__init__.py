"""Knowledge bases: how good is a knowledge base that a system has built, judged by annotation of its parts?

The steps, each in a module of its own: validation of the files; alignment of mentions and entities within a document;
linking of gold entities across documents; triples; paths of several hops, counted and resampled by document. The model
is `adjudge.model.kbp`, the formats are `adjudge.formats.kb_*`.
"""
