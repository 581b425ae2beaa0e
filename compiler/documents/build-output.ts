/** The note on a folder that a build wrote: people are told of it without asking. */

export const BUILD_OUTPUT = "left out: it is what `portcullis build -o` wrote";
