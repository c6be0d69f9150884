/** A response of JSON lines, one value after the other. */
export async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  const reader = body.pipeThrough(new TextDecoderStream() as never).getReader();
  let unfinished = '';
  for (;;) {
    const { done, value } = (await reader.read()) as ReadableStreamReadResult<string>;
    if (done) return;
    const pieces = (unfinished + value).split('\n');
    unfinished = pieces.pop() ?? '';
    for (const line of pieces) if (line !== '') yield JSON.parse(line);
  }
}
