/** The Status page, as a person reads it. */
import type { Locator } from 'playwright-core';
import { Frame } from './frame.ts';

export class StatusPage extends Frame {
  /** the state in a word or two */
  get state(): Locator {
    return this.content.getByRole('heading', { level: 1 });
  }

  get sentence(): Locator {
    return this.content.getByRole('heading', { level: 1 }).locator('xpath=following-sibling::p');
  }
}
