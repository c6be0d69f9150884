/** What both pictures share: one accent, greys that a dark page inverts, and escaped text. */
export const sheet = `<style>
  text { font: 13px system-ui, sans-serif; fill: #3f3f46 }
  .title { font-size: 15px; font-weight: 600; fill: #18181b }
  .small { font-size: 11px; fill: #71717a }
  .ours { fill: #0f766e } .oursLine { stroke: #0f766e; stroke-width: 2.5; fill: none }
  .other { fill: #d4d4d8 } .otherLine { stroke-width: 1.4; fill: none }
  .grid { stroke: #e4e4e7 }
  .strong { font-weight: 600; fill: #0f766e }
  @media (prefers-color-scheme: dark) {
    text { fill: #d4d4d8 } .title { fill: #fafafa } .small { fill: #a1a1aa }
    .ours { fill: #2dd4bf } .oursLine { stroke: #2dd4bf } .strong { fill: #2dd4bf }
    .other { fill: #52525b } .grid { stroke: #3f3f46 }
  }
</style>`;

export function picture(width: number, height: number, title: string, body: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escaped(title)}</title>
${sheet}
${body}
</svg>
`;
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

export function label(x: number, y: number, text: string, kind = '', anchor = 'start'): string {
  const place = `x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}"`;
  return `<text ${place}${kind === '' ? '' : ` class="${kind}"`}>${escaped(text)}</text>`;
}
