/** Makes the text of a notification harmless: names from outside are escaped and cut short. */
import { safe } from '../contract/text/visible-text.ts';
import type { Notice } from './notices.ts';
import type { TrayWords } from './text/words.ts';

export interface NoticeText {
  title: string;
  body: string;
}

/** Desktops show some three hundred characters. */
const longest = { title: 100, body: 300 };

export function noticeText(notice: Notice, words: TrayWords): NoticeText {
  const { title, body } = wordsOf(notice, words);
  return { title: plain(title, longest.title), body: plain(body, longest.body) };
}

function wordsOf(notice: Notice, { notice: words }: TrayWords): NoticeText {
  switch (notice.about) {
    case 'consent':
      return words.asking(notice.request.upstream);
    case 'portal':
      return words.portal(notice.portal.site);
    case 'claim':
      return words.claim(notice.claim.suffix, notice.claim.link);
    case 'exposed':
      return words.exposed(notice.status.network.label);
    case 'trouble':
      return words.trouble(notice.issue);
  }
}

function plain(text: string, most: number): string {
  const harmless = safe(text);
  return harmless.length > most ? `${harmless.slice(0, most - 1)}…` : harmless;
}
