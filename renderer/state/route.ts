/** Which page is shown, and which part of it: `#/queries?filter=outcome:failed`. The address is the state. */
import { host } from '../bridge/host.ts';
import { type Readable, useStore } from './store.ts';

export interface Route {
  /** "home"; the registry has all names */
  page: string;
  /** "ledger/12": "12" */
  item: string;
  query: URLSearchParams;
}

export function readRoute(address: string): Route {
  const [path = '', query = ''] = address.split('?', 2);
  const [page = '', ...item] = path.replace(/^\//, '').split('/');
  return {
    page: formerNames.get(page) ?? page,
    item: decode(item.join('/')),
    query: new URLSearchParams(query),
  };
}

/** Pages by the names they had: bookmarks still lead there. */
const formerNames: ReadonlyMap<string, string> = new Map([
  ['history', 'queries'],
  ['status', 'home'],
  ['rules', 'exceptions'],
  ['upstreams', 'providers'],
]);

export function writeRoute(page: string, query: Record<string, string> = {}, item = ''): string {
  const asked = new URLSearchParams(query).toString();
  const path = item === '' ? page : `${page}/${encodeURIComponent(item)}`;
  return `/${path}${asked === '' ? '' : `?${asked}`}`;
}

export function linkTo(page: string, query: Record<string, string> = {}, item = ''): string {
  return `#${writeRoute(page, query, item)}`;
}

export function goTo(page: string, query: Record<string, string> = {}, item = ''): void {
  host.goTo(writeRoute(page, query, item));
}

/** As `goTo`, but "back" does not come here again: while somebody types. */
export function showInstead(page: string, query: Record<string, string> = {}, item = ''): void {
  host.replaceAddress(writeRoute(page, query, item));
}

let last = { address: '', route: readRoute('') };
const route: Readable<Route> = {
  get() {
    const address = host.address();
    if (address !== last.address) last = { address, route: readRoute(address) };
    return last.route;
  },
  subscribe: host.onAddress,
};

/** The present route, for code that runs later than it was drawn. */
export const routeNow = (): Route => route.get();

export function useRoute(): Route {
  return useStore(route);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
