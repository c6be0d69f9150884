/** A notice as text, with its actions. Pure. */
import { noticeText } from './notice-text.ts';
import type { Notice } from './notices.ts';
import type { TrayWords } from './text/words.ts';
import { allowedMinutes, claimAnswers, type TrayAction } from './tray-view.ts';

export interface SaidNotice {
  title: string;
  body: string;
  /** what a click on it does */
  action: TrayAction;
  /** what its buttons do, where the system draws buttons */
  buttons: readonly { label: string; action: TrayAction }[];
  /** it waits for an answer */
  isQuestion: boolean;
}

export function sayNotice(notice: Notice, words: TrayWords): SaidNotice {
  return {
    ...noticeText(notice, words),
    action: actionOf(notice),
    buttons: buttonsOf(notice, words),
    isQuestion: ['consent', 'portal', 'claim'].includes(notice.about),
  };
}

function actionOf({ about }: Notice): TrayAction {
  if (about === 'portal') return { do: 'open-login' };
  return { do: 'open', page: about === 'claim' ? 'exceptions' : 'home' };
}

/** The answers in the menu, with the same texts. */
function buttonsOf(notice: Notice, words: TrayWords): SaidNotice['buttons'] {
  if (notice.about === 'portal') return [{ label: words.openLogin, action: { do: 'open-login' } }];
  if (notice.about === 'claim') return claimAnswers(notice.claim, words);
  if (notice.about !== 'consent') return [];
  const { id } = notice.request;
  return [
    { label: words.retry, action: { do: 'call', method: 'consent.retry', params: { id } } },
    {
      label: words.allow(allowedMinutes),
      action: { do: 'call', method: 'consent.allow', params: { id, minutes: allowedMinutes } },
    },
    { label: words.stayPrivate, action: { do: 'call', method: 'consent.deny', params: { id } } },
  ];
}
