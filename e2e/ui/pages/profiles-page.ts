/** The page Profiles, as a person finds its parts. */
import type { Locator, Page } from 'playwright-core';
import { Frame } from './frame.ts';

export class ProfilesPage extends Frame {
  readonly form: Locator;
  readonly fingerprint: Locator;
  readonly waiting: Locator;
  readonly simulated: Locator;
  readonly search: Locator;
  readonly effective: Locator;

  constructor(page: Page) {
    super(page);
    this.form = this.content.getByRole('form');
    this.fingerprint = this.form.getByRole('textbox', { name: /^(Fingerprint|Fingerabdruck)$/ });
    this.waiting = this.content.getByRole('list', { name: /^(Waiting settings|Wartende)/ });
    this.simulated = this.content.getByRole('region', {
      name: /^(What it would change here|Was es hier ändern würde)$/,
    });
    this.search = this.content.getByRole('searchbox');
    this.effective = this.content.getByRole('list', {
      name: /^(Settings, and who|Einstellungen, und wer)/,
    });
  }

  get dialog(): Locator {
    return this.page.getByRole('dialog');
  }

  async joinFromAddress(address: string, fingerprint: string): Promise<void> {
    await this.form.getByRole('textbox', { name: /^(Address|Adresse)$/ }).fill(address);
    await this.fingerprint.fill(fingerprint);
    await this.submit();
  }

  async submit(): Promise<void> {
    await this.form.getByRole('button', { name: /^(Join|Beitreten)$/ }).click();
  }

  /** A setting in the list of what holds. */
  setting(name: string): Locator {
    return this.effective.getByRole('listitem').filter({
      has: this.page.getByRole('heading', { name, exact: true }),
    });
  }
}
