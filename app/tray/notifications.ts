/** Says a notice by the means of the system; a click leads to the window, where it can be answered. */
import { Notification } from 'electron';
import { safe } from '../contract/visible-text.ts';
import type { Notice } from './notices.ts';
import type { TrayWords } from './text/words.ts';

/** Those on screen: what nobody refers to may be collected, and its click with it. */
const onScreen = new Set<Notification>();

export function showNotice(notice: Notice, words: TrayWords, onClick: () => void): void {
  if (!Notification.isSupported()) return;
  const { title, body } = say(notice, words);
  const notification = new Notification({ title: safe(title), body: safe(body) });
  onScreen.add(notification);
  notification.on('click', onClick);
  notification.on('close', () => onScreen.delete(notification));
  notification.show();
}

function say(notice: Notice, { notice: words }: TrayWords): { title: string; body: string } {
  switch (notice.about) {
    case 'ask':
      return words.asking(notice.ask.upstream);
    case 'exposed':
      return words.exposed(notice.status.network.label);
    case 'trouble':
      return words.trouble(notice.issue);
  }
}
