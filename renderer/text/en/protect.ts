/** Shared with the tray. */
import { protectSentences } from '../../../app/contract/sentences/protect.ts';

export const protect = protectSentences;
