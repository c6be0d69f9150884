/** The frame around every page, as a person finds it. */
import type { Locator, Page } from 'playwright-core';

export class Frame {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  get navigation(): Locator {
    return this.page.getByRole('navigation', { name: /Pages|Seiten/ });
  }

  get content(): Locator {
    return this.page.getByRole('main');
  }

  /** the strip that says that the service does not answer */
  get connection(): Locator {
    return this.page.getByRole('banner').locator('xpath=following-sibling::*[@role="status"][1]');
  }

  /** Resolves when that page has replaced the one before. */
  async goTo(name: string | RegExp): Promise<void> {
    const link = this.navigation.getByRole('link', { name, exact: true });
    if ((await link.count()) === 0) return await this.#goByMenu(name);
    await link.click();
    await link.and(this.page.locator('[aria-current="page"]')).waitFor();
  }

  async #goByMenu(name: string | RegExp): Promise<void> {
    const menu = this.page.getByRole('button', { name: /^(Pages, language|Seiten, Sprache)/ });
    const entry = this.page.getByRole('menuitem', { name, exact: true });
    await menu.click();
    await entry.click();
    await menu.click();
    await entry.and(this.page.locator('[aria-current="page"]')).waitFor();
    await this.page.keyboard.press('Escape');
    await entry.waitFor({ state: 'detached' });
  }

  /** Presses Tab until the element with this name has the focus. */
  async tabTo(name: string): Promise<void> {
    for (let steps = 0; steps < 50; steps += 1) {
      await this.page.keyboard.press('Tab');
      const focused = await this.page.evaluate<string>('document.activeElement?.innerText ?? ""');
      if (focused.trim() === name) return;
    }
    throw new Error(`Tab does not lead to "${name}"`);
  }

  /** Types into the palette and runs the first entry. */
  async command(words: string): Promise<void> {
    await this.page.keyboard.press('Control+k');
    await this.page.getByRole('combobox').fill(words);
    await this.page.keyboard.press('Enter');
  }
}
