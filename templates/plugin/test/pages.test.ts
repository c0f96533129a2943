import { deepEqual } from 'node:assert/strict';
import { draw } from '@tapline/console-kit/testing';
import { routes, TemplateHold } from '../pages/holds.js';

const record = { id: 5, type: 'job_template' };
const reason = 'It is being mended.';
const list = 'sample_plugin_holds/?job_template=5';
const hold = { id: 7, reason, summary_fields: { user_capabilities: { delete: true } } };

describe('the panel on the page of a template', () => {
  const reload = async () => undefined;

  it('says why it is held, and lets go of it', async () => {
    const answers: Record<string, unknown> = {
      [list]: { count: 1, results: [hold] },
      'sample_plugin_holds/7/': hold,
      'DELETE sample_plugin_holds/7/': null,
    };
    const panel = draw(TemplateHold, { record, reload }, answers);
    await panel.until(reason);
    answers[list] = { count: 0, results: [] };
    panel.press('Release');
    await panel.until('It may be launched.');
    deepEqual(
      panel.asked.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`),
      ['DELETE sample_plugin_holds/7/'],
    );
    panel.end();
  });

  it('offers that to nobody who may not', async () => {
    const seen = { ...hold, summary_fields: { user_capabilities: { delete: false } } };
    const panel = draw(
      TemplateHold,
      { record, reload },
      {
        [list]: { count: 1, results: [seen] },
        'sample_plugin_holds/7/': seen,
      },
    );
    await panel.until(reason);
    deepEqual(panel.text(), reason);
    panel.end();
  });
});

describe('the page', () => {
  it('lists what is held', async () => {
    const field = { type: 'string', label: 'Reason', filterable: true };
    const answers = {
      'sample_plugin_holds/?order_by=reason&page=1&page_size=25': {
        count: 1,
        results: [{ ...hold, type: 'sample_plugin_hold', job_template: 5 }],
      },
      'OPTIONS sample_plugin_holds/': { actions: { GET: { reason: field } } },
    };
    const page = draw(routes[0]!.page, { params: {} }, answers);
    await page.until('1 hold');
    await page.until(reason);
    page.end();
  });
});
