/** The service's texts in the reader's language: by the sentence's code, or else in its own English. Pure. */
import type { Failure } from '../../app/contract/errors.ts';
import { ledgerEndings, recognise } from '../../app/contract/protection/ledger-words.ts';
import { consentSentences } from '../../app/contract/sentences/consents.ts';
import type { Said } from '../../app/contract/sentences/sentence.ts';
import { type Form, fill } from '../../app/contract/sentences/sentence-template.ts';
import { safe } from '../../app/contract/text/visible-text.ts';
import type { Language } from './catalogue.ts';
import { germanFor } from './loaded.ts';
import type { Words } from './use-text.ts';

export interface ToldWords {
  /** harmless to show */
  words: string;
  language: Language;
}

/** If the page lacks one sentence of a newer service, the whole text stays English, so that nothing is left out. */
export function wordsFor(english: string, says: readonly Said[], spoken: Words): ToldWords {
  const known = germanFor(spoken.language)?.sentences ?? {};
  if (says.length === 0 || !says.every(({ code }) => Object.hasOwn(known, code)))
    return { words: safe(english), language: 'en' };
  const forms = formsOf(spoken);
  return {
    words: together(says.map(({ code, params }) => fill(known[code] ?? '', params, forms))),
    language: 'de',
  };
}

/** A headline before a sentence gets a full stop. */
function together(sentences: readonly string[]): string {
  return sentences.reduce(
    (before, one) => `${before}${/[.:;!?…]$/.test(before) ? '' : '.'} ${one}`,
  );
}

/** By the engine's codes, as `causeOf` joins them. */
export function wordsForCause(cause: string, english: string, language: Language): ToldWords {
  const told = cause.split(', ').map((one) => one.split(' ').reverse());
  const causes: Readonly<Record<string, string>> = germanFor(language)?.causes ?? {};
  if (!told.every(([code = '']) => Object.hasOwn(causes, code)))
    return { words: safe(english), language: 'en' };
  const words = told.map(([code, address]) => {
    const where = address === undefined ? '' : `${safe(address)}: `;
    return `${where}${causes[code ?? '']}`;
  });
  return { words: words.join('; '), language };
}

/** Who set it: a person's name, or a text of the service. */
export function wordsForSetter(who: string, language: Language): string {
  const german = germanFor(language);
  const found = german === null ? null : recognise(who, german.setterSentences);
  if (german === null || found === null) return safe(who);
  return fill(german.setters[found.code], found.params, { plain: (value) => safe(String(value)) });
}

/** Why a permission ended. */
export function wordsForEnding(closed: string, spoken: Words): ToldWords {
  const endings = germanFor(spoken.language)?.ledgerEndings;
  const found = recognise(closed, ledgerEndings);
  if (endings === undefined || found === null) return { words: safe(closed), language: 'en' };
  return { words: fill(endings[found.code], found.params, formsOf(spoken)), language: 'de' };
}

/** Who allowed queries to leave in cleartext, from the state's `consent`. */
export function wordsForConsent(consent: string, spoken: Words): ToldWords {
  const found = recognise(`${consent}.`, consentSentences);
  return wordsFor(consent, found === null ? [] : [found], spoken);
}

/** The engine's own reason why a query was answered as it was. */
export function wordsForReason(english: string, language: Language): ToldWords {
  return inGermanOr(english, germanFor(language)?.queryReason(english));
}

/** How an answer differs from another. */
export function wordsForDifference(english: string, language: Language): ToldWords {
  return inGermanOr(english, germanFor(language)?.difference(english));
}

function inGermanOr(english: string, german: string | null = null): ToldWords {
  return german === null
    ? { words: safe(english), language: 'en' }
    : { words: safe(german), language: 'de' };
}

/** null: the page has no text for it. */
export function wordsForFailure(failure: Failure, language: Language): string | null {
  const { code, subject } = failure;
  const german = germanFor(language);
  if (german === null || !Object.hasOwn(german.failures, code)) return null;
  const words = fill(
    german.failures[code],
    { subject: subject ?? '' },
    { plain: (value) => safe(String(value)) },
  );
  const exact = exactReason(failure, language);
  return exact === null ? words : `${words} ${safe(exact)}.`;
}

/** null: the code says everything, or the page lacks the exact reason. */
export function exactReason({ code, message }: Failure, language: Language): string | null {
  const german = germanFor(language);
  if (code === 'settings-invalid') return german?.refusal(message) ?? null;
  return code === 'filter-invalid' ? (german?.expressionProblem(message) ?? null) : null;
}

function formsOf({ text, formats, language }: Words): Readonly<Record<string, Form>> & {
  plain: Form;
} {
  const among =
    (words: Readonly<Record<string, string>>): Form =>
    (value) =>
      (Object.hasOwn(words, value) ? words[value] : null) ?? safe(String(value));
  return {
    plain: (value) => safe(String(value)),
    count: (value) => formats.count(Number(value)),
    octets: (value) => formats.octets(Number(value)),
    duration: (value) => formats.duration(Number(value)),
    latency: (value) => formats.latency(Number(value)),
    left: (value) => formats.duration(Math.max(0, Number(value) - Date.now())),
    moment: (value) => formats.dateTime(Number(value)),
    clear: among(text.home.open.classes),
    outcome: among(text.queryLog.outcomes),
    mechanism: among(text.systemDns.mechanisms),
    setter: (value) => wordsForSetter(String(value), language),
    cause: (value, { message = '' }) =>
      wordsForCause(String(value), String(message), language).words,
  };
}
