/** Home, as a person reads it. */
import type { Locator } from 'playwright-core';
import { Frame } from './frame.ts';

export class HomePage extends Frame {
  /** the state in a word or two */
  get state(): Locator {
    return this.content.getByRole('heading', { level: 1 });
  }

  get sentence(): Locator {
    return this.state.locator('xpath=following-sibling::p[1]');
  }

  get protection(): Locator {
    return this.content.getByRole('switch', { name: 'Protection' });
  }

  get upstreams(): Locator {
    return this.content.getByRole('list', { name: /^(Providers|Anbieter)$/ }).getByRole('listitem');
  }

  /** Unfolds addresses, transports, policy and the system's DNS. */
  async openDetails(): Promise<void> {
    const summary = (fold: string) =>
      this.content.locator(`${fold} > summary`).filter({ hasText: /^(Details|Einzelheiten)$/ });
    await summary('details').waitFor();
    if ((await summary('details[open]').count()) === 0) await summary('details').click();
  }

  /** what may leave in cleartext now */
  get openEntries(): Locator {
    return this.content
      .getByRole('list', { name: 'Allowed unencrypted now' })
      .getByRole('listitem');
  }

  /** one of the figures, which links to its rows */
  figure(label: string): Locator {
    return this.content.locator('dl > div').filter({ hasText: label }).getByRole('link');
  }

  get login(): Locator {
    return this.loginIn('Login to this network');
  }

  loginIn(name: string): Locator {
    return this.content.getByRole('region', { name });
  }

  get decision(): Locator {
    return this.content.getByRole('region', { name: 'Your choice' });
  }

  async press(name: string): Promise<void> {
    await this.content.getByRole('button', { name, exact: true }).click();
  }

  /** Opens a menu of the page and chooses one of its entries. */
  async choose(menu: string, entry: string): Promise<void> {
    await this.press(menu);
    await this.page.getByRole('menuitem', { name: entry, exact: true }).click();
  }
}
