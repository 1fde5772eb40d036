"""What people have in memory, as documents: lists of tags, tuples, frames, objects of other libraries, raw answers.

    source -> corpus (which documents, which ids) -> the shape of a family -> documents of the model

Nothing here imports another library: an object is recognised by its type's module and its methods. What a shape does
not say (whether ends are inclusive, which scheme tags follow) is declared, or proved from the text, or said in a note.
"""
