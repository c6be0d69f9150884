/** Rows of cells as a table of Markdown: words in the first column, figures in the others. */
export function markdownTable(columns: string[], body: string[][]): string {
  const lines = [columns, columns.map((_, index) => (index === 0 ? '---' : '--:')), ...body];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
