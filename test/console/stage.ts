import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { freePort } from '../../demo/free-port.ts';
import { createTestDatabase } from '../support/database.ts';
import { type BootWith, bootWith } from '../support/plugins.ts';
import { adminPassword, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

/** Nothing but the page itself: a browser that talks to nobody on its own. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const play = (tasks: string) =>
  `- name: Look after the shop\n  hosts: all\n  gather_facts: false\n  tasks:\n${tasks}`;

const playbooks = {
  'greet.yml': play('    - name: Greet\n      debug: {msg: "hello {{ who | default(\'nobody\') }}"}\n'),
  /** goes on until the file that `release` names exists */
  'held.yml': play(
    '    - name: Say that it began\n      debug: {msg: begun}\n    - name: Wait\n      wait_for: {path: "{{ release }}", timeout: 600}\n    - name: Say that it ended\n      debug: {msg: all done}\n',
  ),
  'failing.yml': play('    - name: Open the vault door\n      fail: {msg: "sudo: a password is required"}\n'),
};

export const local = 'ansible_connection: local\nansible_python_interpreter: "{{ ansible_playbook_python }}"\n';

export interface Stage {
  readonly service: TestService;
  page: Page;
  inventory: number;
  /** held.yml goes on once this file is there */
  release: string;
  /** what a page must never do: log errors, break its policy, ask another origin; cleared by reading */
  problems(): string[];
  /** a page of its own, with cookies of its own */
  fresh(options?: Parameters<Browser['newContext']>[0]): Promise<Page>;
  logIn(page?: Page, username?: string, password?: string): Promise<void>;
  open(path: string): Promise<void>;
  make(path: string, body: object): Promise<any>;
  template(playbook: string, body?: object): Promise<any>;
  /** down for as long as `meanwhile` takes, then up again at the same address */
  restart(meanwhile: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

/** The whole service with the console, and a browser in front of it; `more` are further playbooks by file name. */
export async function openStage(
  env: Record<string, string> = {},
  { more = {}, plugins = [] }: { more?: Record<string, string>; plugins?: BootWith['plugins'] } = {},
): Promise<Stage> {
  const database = await createTestDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'tapline-console-'));
  const port = await freePort();
  // seen by playbooks inside their sandbox: where a test says that they may go on
  const gate = mkdtempSync(join(tmpdir(), 'tapline-console-gate-'));
  chmodSync(gate, 0o755);
  const given = {
    TAPLINE_PLUGINS: 'console,recommendations',
    TAPLINE_AWX_ISOLATION_SHOW_PATHS: `${gate}:${gate}:ro`,
    PORT: String(port),
    ...env,
  };
  const start = () => bootWith({ env: given, database, dataDir, plugins });
  let service = await start();
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell', args: flags });
  const watched = watch(service.url);
  const fresh = async (options = {}) => {
    const context = await browser.newContext({ baseURL: service.url, ...options });
    context.setDefaultTimeout(150_000);
    watched.context(context);
    return context.newPage();
  };
  const logIn = async (page: Page, username: string, password: string) => {
    await page.goto('/');
    await page.getByLabel('User name').fill(username);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  };
  const page = await fresh();
  const make = makerOf(() => service);
  const { inventory, project } = await furnish(service, make, more);
  return {
    get service() {
      return service;
    },
    page,
    inventory,
    release: join(gate, 'release'),
    problems: watched.read,
    fresh,
    logIn: (other = page, username = 'admin', password = adminPassword) => logIn(other, username, password),
    async open(path) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
    },
    make,
    template: (playbook, body = {}) =>
      make('job_templates/', { name: `Run ${playbook}`, inventory, project, playbook, ...body }),
    async restart(meanwhile) {
      await service.stop();
      await meanwhile();
      service = await start();
    },
    async stop() {
      await browser.close();
      await endJobs(service, join(gate, 'release'));
      await service.stop();
      await database.drop();
      for (const folder of [dataDir, gate]) removeFolder(folder);
    },
  };
}

/** A run outlives its service, and whoever waits for the file would look for it in vain once its folder is gone. */
async function endJobs({ get }: TestService, release: string) {
  writeFileSync(release, '');
  await until(async () => (await get('jobs/?status=running')).body.count === 0, undefined, 'no job runs any more');
}

const makerOf = (service: () => TestService) => async (path: string, body: object) => {
  const answer = await service().post(path, body);
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
};

async function furnish(service: TestService, make: Stage['make'], more: Record<string, string>) {
  const folder = join(service.dataDir, 'projects', 'shop');
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries({ ...playbooks, ...more })) writeFileSync(join(folder, name), text);
  const organization = (await service.get('organizations/')).body.results[0].id;
  const inventory = (await make('inventories/', { name: 'Production', organization })).id;
  await make('hosts/', { name: 'web1', inventory, variables: local });
  const project = (await make('projects/', { name: 'Shop', organization, local_path: 'shop' })).id;
  return { inventory, project };
}

function watch(origin: string) {
  let found: string[] = [];
  return {
    read() {
      const read = found;
      found = [];
      return read;
    },
    context(context: BrowserContext): void {
      context.on('console', (message) => {
        // refusals that a test asks for are the service's answer, not a fault of the page
        const asked = message.text().startsWith('Failed to load resource: the server responded with a status of 4');
        if (['error', 'warning'].includes(message.type()) && !asked) found.push(`console: ${message.text()}`);
      });
      context.on('weberror', (error) => found.push(`error: ${error.error().stack}`));
      context.on('request', (request) => {
        const { origin: asked, protocol } = new URL(request.url());
        if (asked !== origin && protocol !== 'data:') found.push(`request to ${request.url()}`);
      });
    },
  };
}

export const hasFocus = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => element === element.ownerDocument.activeElement);

/** Presses Tab until the element has the focus, as somebody without a mouse would. */
export async function tabTo(page: Page, target: Locator, most = 60): Promise<void> {
  for (let i = 0; i < most; i += 1) {
    await page.keyboard.press('Tab');
    if (await hasFocus(target)) return;
  }
  expect.fail(`${target} was not reached by ${most} times Tab`);
}

/** Finds a record by typing, without a mouse. */
export async function pick(page: Page, label: string, name: string): Promise<void> {
  const box = page.getByRole('combobox', { name: new RegExp(`^${label}`) });
  await box.fill(name);
  await page.getByRole('option', { name: new RegExp(`^${name}`) }).waitFor();
  // an answer to what was typed may replace the list just then: it stays open where nothing was taken
  const open = async () => (await box.getAttribute('aria-expanded')) === 'true';
  while (await open()) {
    await box.press('Enter');
    for (let looks = 0; looks < 30 && (await open()); looks++) await page.waitForTimeout(100);
  }
  await until(async () => (await box.inputValue()) === name);
}
