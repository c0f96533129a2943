import type { Locator, Page } from 'playwright-core';
import { hasFocus, pick } from '../stage.ts';
import { until } from '../../support/until.ts';

type Role = Parameters<Page['getByRole']>[0];
/** A text stands for exactly that name. */
type Name = string | RegExp;

/** What somebody did, by the name of what was clicked, or of the field that was typed into or chosen in. */
export type Step = { click: string } | { field: string };

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** Somebody in front of a browser: sees and touches things by the names that they have for eyes and screen readers. */
export class Person {
  readonly page: Page;
  readonly #place: Locator;
  /** in their order, those in parts of the page included; emptied by whoever counts */
  readonly steps: Step[];

  constructor(page: Page, place = page.getByRole('main'), steps: Step[] = []) {
    this.page = page;
    this.#place = place;
    this.steps = steps;
  }

  #click(name: Name): void {
    this.steps.push({ click: String(name) });
  }

  /** A page, by the menu. */
  async opens(entry: string): Promise<void> {
    const menu = this.page.getByRole('navigation', { name: 'Main' });
    await menu.getByRole('link', { name: new RegExp(`^${escaped(entry)}(?: \\d+ waiting)?$`) }).click();
    this.#click(entry);
    await this.isAt(entry);
  }

  /** An address, as a bookmark or a mail has it. */
  async goesTo(address: string): Promise<void> {
    await this.page.goto(address);
    await this.page.getByRole('heading', { level: 1 }).waitFor();
    await this.settles();
  }

  /** A page by the address that its entry of the menu has. */
  async visits(address: string): Promise<void> {
    const menu = this.page.getByRole('navigation', { name: 'Main' });
    const entry = menu.locator(`a[href="${address}"]`);
    await entry.click();
    this.#click(address);
    await until(async () => (await entry.getAttribute('aria-current')) !== null);
    await this.settles();
  }

  async isAt(heading: Name): Promise<void> {
    await this.page.getByRole('heading', { name: heading, level: 1, exact: true }).waitFor();
  }

  async follows(link: Name): Promise<void> {
    await this.#place.getByRole('link', { name: link, exact: true }).click();
    this.#click(link);
  }

  async presses(button: Name): Promise<void> {
    await this.#place.getByRole('button', { name: button, exact: true }).click();
    this.#click(button);
  }

  /** A part of the page: the tabs of a record, of a run, of a plugin. */
  async turnsTo(part: string): Promise<void> {
    const tab = this.#place.getByRole('navigation').getByRole('link', { name: part, exact: true });
    await tab.click();
    this.#click(part);
    await until(async () => (await tab.getAttribute('aria-current')) !== null);
    await this.settles();
  }

  #field(label: Name): Locator {
    const name = label instanceof RegExp ? label : new RegExp(`^${escaped(label)}(?: \\(optional\\))?$`);
    return this.#place.getByLabel(name);
  }

  async fills(label: Name, text: string): Promise<void> {
    await this.#field(label).fill(text);
    this.steps.push({ field: String(label) });
  }

  async fillsIn(texts: Record<string, string>): Promise<void> {
    for (const [label, text] of Object.entries(texts)) await this.fills(label, text);
  }

  async chooses(label: Name, option: string): Promise<void> {
    await this.#field(label).selectOption({ label: option });
    this.steps.push({ field: String(label) });
  }

  /** Some boxes are ticked only when the service has said so. */
  async checks(label: Name): Promise<void> {
    await this.#field(label).click();
    this.#click(label);
    await until(() => this.#field(label).isChecked());
  }

  async unfolds(summary: string): Promise<void> {
    await this.#place.locator('summary').filter({ hasText: summary }).first().click();
    this.#click(summary);
  }

  /** A record, found by typing. */
  async picks(label: string, name: string): Promise<void> {
    await pick(this.page, label, name);
    this.steps.push({ field: label });
  }

  /** A record that is chosen already. */
  async finds(label: string, name: string): Promise<void> {
    const box = this.#place.getByRole('combobox', { name: new RegExp(`^${label}`) });
    await until(async () => (await box.inputValue()) === name, undefined, `${label} says ${name}`);
  }

  async searchesFor(text: string): Promise<void> {
    const box = this.#place.getByRole('searchbox').first();
    await box.fill(text);
    this.steps.push({ field: 'Search' });
    await box.press('Enter');
  }

  async strikes(...keys: string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  async callsPalette(): Promise<void> {
    await this.strikes('Control+k');
    await this.page.getByRole('dialog').getByRole('combobox').waitFor();
  }

  async types(text: string): Promise<void> {
    await this.page.keyboard.type(text);
  }

  async goesBack(): Promise<void> {
    await this.page.goBack();
  }

  async goesForward(): Promise<void> {
    await this.page.goForward();
  }

  /** It is there to be read, now or in a moment. */
  async sees(...texts: Name[]): Promise<void> {
    for (const text of texts) await this.#place.getByText(text).filter({ visible: true }).first().waitFor();
  }

  /** What pages say in passing. */
  async isTold(text: Name): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  /** It is said that something is wrong, or was refused. */
  async isWarned(text: Name): Promise<void> {
    await this.#place.getByRole('alert').filter({ hasText: text }).first().waitFor();
  }

  async has(role: Role, name: Name): Promise<void> {
    await this.#place.getByRole(role, { name, exact: true }).first().waitFor();
  }

  /** How many there are of each once all is there that was asked for. */
  async counts(role: Role, ...names: Name[]): Promise<number> {
    await this.settles();
    const counts = await Promise.all(names.map((name) => this.#place.getByRole(role, { name, exact: true }).count()));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** What of these is offered here as a button or a link. */
  async isOffered(...names: string[]): Promise<string[]> {
    await this.settles();
    const offered = await this.#place.getByRole('button').or(this.#place.getByRole('link')).allTextContents();
    return names.filter((name) => offered.some((text) => text === name || text.startsWith(`${name} `)));
  }

  /** What is offered here by words like these. */
  async offers(words: RegExp): Promise<string[]> {
    await this.settles();
    const buttons = this.#place.getByRole('button', { name: words, disabled: false });
    const all = buttons.or(this.#place.getByRole('link', { name: words }));
    return all.allTextContents();
  }

  async addresses(): Promise<string[]> {
    const links = this.#place.getByRole('link');
    await links.first().waitFor();
    return links.evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''));
  }

  /** Nothing is loaded any more. */
  async settles(): Promise<void> {
    await until(async () => (await this.page.getByText(/^Loading/).count()) === 0);
  }

  async reads(role: Role, name: Name): Promise<string> {
    return (await this.#place.getByRole(role, { name, exact: true }).first().textContent()) ?? '';
  }

  async holds(label: Name): Promise<string> {
    return this.#field(label).inputValue();
  }

  async isOn(role: Role, name: Name): Promise<boolean> {
    return hasFocus(this.page.getByRole(role, { name, exact: true }));
  }

  /** The same person, who looks at one part of what there is. */
  within(role: Role, name: Name): Person {
    return new Person(this.page, this.page.getByRole(role, { name, exact: true }), this.steps);
  }

  /** A row of a table, by how its heading begins. */
  row(heading: string): Person {
    const named = this.page.getByRole('rowheader', { name: new RegExp(`^${escaped(heading)}(?!\\w)`) });
    return new Person(this.page, this.#place.getByRole('row').filter({ has: named }).first(), this.steps);
  }

  /** A row of a table that has this in it. */
  rowWith(text: Name): Person {
    return new Person(this.page, this.#place.getByRole('row').filter({ hasText: text }).first(), this.steps);
  }

  dialog(title: Name = /./): Person {
    return this.within('dialog', title);
  }

  /** The number at the end of the address. */
  get id(): number {
    return Number(/\/(\d+)$/.exec(new URL(this.page.url()).pathname)?.[1]);
  }

  get address(): string {
    const { pathname, search } = new URL(this.page.url());
    return decodeURIComponent(pathname + search);
  }
}
