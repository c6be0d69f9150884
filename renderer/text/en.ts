/** Every English string of the page, part by part: a page has its own. */
import { frame } from './en/frame.ts';
import { history } from './en/history.ts';
import { status } from './en/status.ts';

export const en = { frame, history, status } as const;
