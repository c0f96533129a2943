import { drawnPage } from '@tapline/console-kit';
import { showAlerts } from './alerts.js';
import { showChanges } from './changes.js';
import { showCompare } from './compare.js';
import { showDetail } from './detail.js';
import { tabs } from './dom.js';
import { showRules } from './rules.js';

const pages = { '': showChanges, '/compare': showCompare, '/rules': showRules, '/alerts': showAlerts };

/** What changed on hosts, the rules about it, and what they told. */
async function draw(root, context) {
  const { rest } = context;
  const id = /^\/(\d+)$/.exec(rest)?.[1];
  const part = document.createElement('div');
  root.replaceChildren(tabs(rest), part);
  if (id !== undefined) return showDetail(part, context, Number(id));
  const page = pages[rest];
  if (!page) throw new Error('There is no such page.');
  return page(part, context);
}

const page = drawnPage({ title: 'Drift', path: '/drift', draw });

export const routes = ['/drift', '/drift/:part'].map((pattern) => ({ pattern, page }));
