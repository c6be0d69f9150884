/** Ends a command with its last words, which are an error unless the code is 0. */
export function endCommand(words: string, code: number): never {
  (code === 0 ? console.log : console.error)(words);
  process.exit(code);
}
