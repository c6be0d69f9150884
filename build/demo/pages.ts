/** The demo zone, read as pages: groups of names that are looked up together. */

export interface Query {
  name: string;
  type: string;
}

export interface Page {
  name: string;
  queries: Query[];
}

/** The types that programs query for these records; for example, no program queries a CNAME. */
const askedAs: Record<string, string> = { CNAME: 'A' };

/** `; page NAME` begins a group and `; shared` ends the last one; each line has one record. */
export function pagesOf(zone: string): Page[] {
  const pages: Page[] = [];
  let page: Page | undefined;
  for (const line of zone.split('\n')) {
    const heading = /^; page (\S+)/.exec(line);
    if (heading) {
      page = { name: heading[1] ?? '', queries: [] };
      pages.push(page);
    } else if (line === '; shared') {
      page = undefined;
    } else {
      addQuery(page, line);
    }
  }
  return pages;
}

function addQuery(page: Page | undefined, line: string): void {
  const record = /^(\S+)\.\s+\d+ IN (\S+)/.exec(line);
  if (!page || !record) return;
  const [, name = '', zoneType = ''] = record;
  const type = askedAs[zoneType] ?? zoneType;
  const known = page.queries.some((asked) => asked.name === name && asked.type === type);
  if (!known) page.queries.push({ name, type });
}
