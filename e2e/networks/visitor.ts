/**
 * A person with a browser, as a program: URL. Opens it, follows redirects, and presses the one button of each page until there is
 * none. Prints title and address of each page as a line of JSON.
 */
import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';

/** Only an attempt to connect that failed makes room for the next address; a slow one is waited for. */
const patienceMs = 20_000;
setDefaultAutoSelectFamilyAttemptTimeout(patienceMs);
let [, , next = ''] = process.argv;
let method = 'GET';
for (let page = 0; page < 5; page++) {
  const response = await fetch(next, { method, signal: AbortSignal.timeout(patienceMs) });
  const text = await response.text();
  const title = /<(?:title|h1)>(.*?)</.exec(text)?.[1] ?? '';
  process.stdout.write(
    `${JSON.stringify({ title, url: response.url, status: response.status })}\n`,
  );
  const style = /<link [^>]*href="([^"]*)"/.exec(text)?.[1];
  if (style !== undefined) await (await fetch(style)).text();
  const action = /<form method="post" action="([^"]*)"/.exec(text)?.[1];
  if (action === undefined) break;
  [next, method] = [new URL(action, response.url).href, 'POST'];
}
