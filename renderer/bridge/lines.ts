/** A response of JSON lines, one value after the other. */
export async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  let unfinished = '';
  for await (const text of chunksOf(body.pipeThrough<string>(new TextDecoderStream() as never))) {
    const pieces = (unfinished + text).split('\n');
    unfinished = pieces.pop() ?? '';
    for (const line of pieces) if (line !== '') yield JSON.parse(line);
  }
}

/** Not every browser can loop over a stream itself. Leaving the loop ends the stream. */
export async function* chunksOf<Chunk>(body: ReadableStream<Chunk>): AsyncGenerator<Chunk> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // A stream that broke refuses this, too.
    void reader.cancel().catch(() => {});
  }
}
