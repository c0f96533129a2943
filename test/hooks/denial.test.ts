import { cpSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { ApiError, ValidationError } from '@tapline/plugin-sdk';
import { fakeRun } from '@tapline/plugin-sdk/testing';
import { root } from '../../core/config/config.ts';
import type { TapRecord } from '../../core/hooks/guard.ts';
import { createHooks } from '../../core/hooks/hooks.ts';
import { answerErrors } from '../../core/http/errors.ts';
import { silentLog } from '../support/log.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

/** What a launch is told that one tap decides about. */
async function decided(tap: () => unknown, failMode: 'allow' | 'deny' = 'allow') {
  const records: TapRecord[] = [];
  const warnings: any[] = [];
  const hooks = createHooks({
    log: { warn: (fields, text) => void warnings.push({ ...fields, text }) },
    observe: (record) => void records.push(record),
  });
  hooks.beforeStart({ name: 'p:check', failMode }, tap);
  const { refusal } = await hooks.decideLaunch({
    run: fakeRun(),
    template: null,
    uses: { organization: null, inventory: null, project: null, credentials: [] },
    actor: null,
    authority: null,
    origin: { kind: 'api', id: null, client_ip: null },
    given: {},
  });
  return { denial: refusal?.denial, record: records[0]!, warnings };
}

describe('a denial', () => {
  it('may say until when, in ISO 8601 and in nothing else', async () => {
    const refusing = (until: unknown) => decided(() => ({ status: 403, body: { detail: 'no' }, until }), 'deny');
    expect((await refusing('2030-01-01T00:00:00+01:00')).denial).to.include({ until: '2029-12-31T23:00:00.000Z' });
    expect((await refusing(undefined)).denial).to.not.have.property('until');
    for (const wrong of ['tomorrow', '2030', 5, null, new Date(0)])
      expect((await refusing(wrong)).denial?.body['reasons'], String(wrong)).to.have.length(1);
  });

  class Reasons {
    detail = 'no';
  }
  const bodies: [what: string, body: object, where: RegExp][] = [
    ['a function', { detail: 'no', retry: () => 5 }, /body\.retry is a function/],
    ['a Map', { detail: 'no', by: { team: new Map([['a', 1]]) } }, /body\.by\.team is a Map/],
    ['a date', { reasons: ['no', new Date(0)] }, /body\.reasons\[1\] is a Date/],
    ['a symbol', { detail: Symbol('no') }, /body\.detail is a symbol/],
    ['a number that JSON has not', { share: Number.NaN }, /body\.share is NaN/],
    ['an item without a value', { reasons: [undefined] }, /body\.reasons\[0\] is a undefined/],
    ['an instance of a class', new Reasons(), /body is a Reasons/],
    ['what writes itself', { detail: { toJSON: () => 'no' } }, /body\.detail\.toJSON is a function/],
  ];
  for (const [what, body, where] of bodies)
    it(`is a failure of the tap where its body holds ${what}`, async () => {
      const { denial, record } = await decided(() => ({ status: 403, body }));
      expect(denial).to.equal(undefined);
      expect(record.result).to.equal('invalid');
      expect((record.error as Error).message)
        .to.match(where)
        .and.contain('is not plain JSON');
      expect((await decided(() => ({ status: 403, body }), 'deny')).denial!.body['detail']).to.contain('fail mode');
    });

  it('may leave out what has no value, and take its body from anywhere', async () => {
    const body = { detail: 'no', until: undefined, count: 0, empty: null, deep: [{ yes: false }] };
    const bare = Object.assign(Object.create(null), body);
    for (const given of [body, bare])
      expect((await decided(() => ({ status: 429, body: given }))).denial).to.deep.equal({
        status: 429,
        body: { detail: 'no', count: 0, empty: null, deep: [{ yes: false }] },
      });
  });

  it('carries headers that say when and where to go on', async () => {
    const headers = { 'Retry-After': 30, Link: '<https://example.org>; rel="help"', 'X-Tapline-Quota': 'daily' };
    const { denial, record } = await decided(() => ({ status: 429, body: {}, headers }));
    expect(denial!.headers).to.deep.equal({ ...headers, 'Retry-After': '30' });
    expect(record).to.include({ result: 'denied' }).and.not.have.property('error');
  });

  const bad: [name: string, value: unknown][] = [
    ['Set-Cookie', 'a=b'],
    ['Content-Security-Policy', "default-src 'none'"],
    ['Connection', 'close'],
    ['Transfer-Encoding', 'chunked'],
    ['Content-Type', 'text/html'],
    ['Location', 'https://example.org'],
    ['X-Request-Id', 'mine'],
    ['X-Tapline-A\r\nSet-Cookie', 'a=b'],
    ['X-Tapline-A', 'b\r\nSet-Cookie: a=b'],
    ['X-Tapline-B', { toString: () => 'b' }],
    ['X-Tapline-C', 'c'.repeat(5000)],
    ['', 'nothing'],
  ];
  for (const [name, value] of bad)
    it(`stands without the header ${JSON.stringify(name)}: ${JSON.stringify(value).slice(0, 30)}, which is told`, async () => {
      const { denial, record, warnings } = await decided(() => ({
        status: 429,
        body: { detail: 'no' },
        headers: { [name]: value, 'retry-after': '1' },
      }));
      expect(denial).to.deep.equal({ status: 429, body: { detail: 'no' }, headers: { 'retry-after': '1' } });
      expect(record.result).to.equal('denied');
      expect((record.error as Error).message).to.contain('left out of its denial: header ');
      expect(warnings.map(({ text }) => text)).to.deep.equal(['beforeStart tap p:check denied']);
    });

  it('stands without headers that are no plain object', async () => {
    for (const headers of ['Retry-After: 1', ['Retry-After'], new Map(), new Headers({ 'Retry-After': '1' })]) {
      const { denial, record } = await decided(() => ({ status: 403, body: {}, headers }));
      expect(denial).to.deep.equal({ status: 403, body: {} });
      expect((record.error as Error).message).to.contain('must be a plain object');
    }
  });
});

describe('an ApiError that a tap throws', () => {
  const thrown = (error: unknown) => async () => {
    throw error;
  };

  it('is its denial, whatever the fail mode', async () => {
    const error = new ApiError(429, { detail: 'Too many.', limit: 5 }, { 'Retry-After': '60' });
    for (const failMode of ['allow', 'deny'] as const) {
      const { denial, record, warnings } = await decided(thrown(error), failMode);
      expect(denial).to.deep.equal({
        status: 429,
        body: { detail: 'Too many.', limit: 5 },
        headers: { 'Retry-After': '60' },
      });
      expect(record).to.include({ result: 'denied', refused: true }).and.not.have.property('error');
      expect(warnings).to.deep.equal([]);
    }
    const field = ValidationError.field('limit', 'Too wide.');
    expect((await decided(thrown(field))).denial).to.deep.equal({ status: 400, body: { limit: ['Too wide.'] } });
  });

  it('stays a failure where it is no refusal, as anything else that is thrown', async () => {
    for (const error of [
      new ApiError(500, 'broken'),
      new ApiError(200, 'fine'),
      new ApiError(403, { at: new Date(0) }),
      Object.assign(new Error('of somebody else'), { status: 403, body: {}, headers: {} }),
      { name: 'ApiError', status: 403, body: {}, headers: {} },
    ]) {
      const { denial, record } = await decided(thrown(error));
      expect(denial).to.equal(undefined);
      expect(record).to.include({ result: 'threw', error });
    }
  });

  it('is known when it comes from a copy of the SDK', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tapline-sdk-copy-'));
    try {
      cpSync(join(root, 'plugin-sdk', 'errors.ts'), join(folder, 'errors.ts'));
      symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
      const copy = await import(pathToFileURL(join(folder, 'errors.ts')).href);
      expect(copy.ApiError).not.to.equal(ApiError);
      expect(copy.notFound()).to.be.instanceOf(ApiError).and.not.instanceOf(ValidationError);
      expect(new ValidationError({})).to.be.instanceOf(copy.ApiError).and.instanceOf(copy.ValidationError);
      class Held extends ApiError {}
      expect(new Held(409, 'Held.')).to.be.instanceOf(Held);
      expect(copy.notFound()).not.to.be.instanceOf(Held);
      const others = Object.assign(new Error('of a library'), { name: 'ApiError' });
      expect(others).not.to.be.instanceOf(ApiError);
      const { denial } = await decided(thrown(new copy.ApiError(409, 'Held.', { 'Retry-After': '9' })));
      expect(denial).to.deep.equal({ status: 409, body: { detail: 'Held.' }, headers: { 'Retry-After': '9' } });
      expect((await decided(thrown(new copy.ValidationError({ a: ['b'] })))).denial!.status).to.equal(400);
      const answer: any = { set: () => undefined, get: () => '', state: {} };
      await answerErrors({ log: silentLog })(answer, thrown(copy.notFound()));
      expect([answer.status, answer.body]).to.deep.equal([404, { detail: 'Not found.' }]);
    } finally {
      removeFolder(folder);
    }
  });
});
