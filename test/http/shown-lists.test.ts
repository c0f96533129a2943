import { expect } from 'chai';
import { bootWith, testPlugin } from '../support/plugins.ts';
import type { TestService } from '../support/service.ts';

describe('lists of what no table holds', () => {
  let service: TestService;
  before(async () => {
    const plugins = ['alpha', 'beta', 'gamma'].map((id, order) =>
      testPlugin(id, (api) =>
        api.page({
          path: `/${id}`,
          title: `Page ${id}`,
          module: new URL('../console/plugin-pages/windows.js', import.meta.url),
          nav: { order: 30 - order },
        }),
      ),
    );
    service = await bootWith({ env: { TAPLINE_ROLES: 'web' }, plugins });
  });
  after(() => service.stop());

  const paths = ['settings/', 'plugins/', 'hooks/', 'navigation/', 'console_pages/'];
  const names = async (query: string) =>
    (await service.get(query)).body.results.map(({ id, plugin, slug }: any) => id ?? plugin ?? slug);

  it('have pages with their neighbours', async () => {
    for (const path of paths) {
      const { body } = await service.get(`${path}?page_size=2&page=2`);
      expect(body.count, path).to.be.above(2);
      expect(body.previous).to.equal(`/api/v2/${path}?page=1&page_size=2`);
      expect(body.results.length).to.be.within(1, 2);
      const whole = await service.get(path);
      expect(body.results).to.deep.equal(whole.body.results.slice(2, 4));
      expect((await service.get(`${path}?page=last&page_size=1`)).body.results).to.deep.equal(
        whole.body.results.slice(-1),
      );
    }
  });

  it('answer 404 to pages that are not there, 400 to filters and orders that they do not know', async () => {
    for (const path of paths) {
      for (const page of ['0', 'word', '99', '-1'])
        expect(await service.get(`${path}?page=${page}`)).to.deep.include({
          status: 404,
          body: { detail: 'Invalid page.' },
        });
      for (const query of [
        'nosuch=1',
        'order_by=nosuch',
        'name__regex=a',
        'nosuch__name=1',
        '__proto__=1',
        'constructor=1',
      ])
        expect((await service.get(`${path}?${query}`)).status, `${path}?${query}`).to.equal(400);
    }
    for (const query of [
      'optional=maybe',
      'requires=x',
      'id__in=',
      'optional__contains=t',
      'id__isnull=maybe',
      'id__nested=1',
    ])
      expect((await service.get(`plugins/?${query}`)).status, query).to.equal(400);
    expect((await service.get('navigation/?order__gt=x')).status).to.equal(400);
  });

  it('are filtered, searched and ordered', async () => {
    expect(await names('plugins/?id__in=alpha,gamma')).to.deep.equal(['alpha', 'gamma']);
    expect(await names('plugins/?not__id=alpha&order_by=-id')).to.deep.equal(['gamma', 'beta']);
    expect(await names('plugins/?or__id=beta&or__id__iexact=GAMMA')).to.deep.equal(['beta', 'gamma']);
    expect(await names('plugins/?search=BET')).to.deep.equal(['beta']);
    expect(await names('plugins/?optional=true')).to.deep.equal([]);
    expect(await names('plugins/?type=plugin&id__gt=beta')).to.deep.equal(['gamma']);
    expect(await names('plugins/?type=job')).to.deep.equal([]);
    expect(await names('plugins/?reason__isnull=false&version__startswith=1.&page_size=1')).to.deep.equal(['alpha']);
    expect(await names('navigation/')).to.deep.equal(['gamma', 'beta', 'alpha']);
    expect(await names('settings/?slug__icontains=NAMED')).to.deep.equal(['named-url']);
  });
});
