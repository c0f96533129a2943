import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { createFixtures } from '../http/fixtures.ts';
import { startService, type TestService } from '../support/service.ts';

describe('/api/v2/openapi.json', () => {
  let service: TestService;
  let ids: Record<string, number>;
  let document: any;
  before(async () => {
    service = await startService({ TAPLINE_ROLES: 'web' });
    ({ ids } = await createFixtures(service));
    const { status, headers, body } = await service.get('openapi.json');
    expect([status, headers.get('content-type')]).to.deep.equal([200, 'application/json; charset=utf-8']);
    document = body;
  });
  after(() => service.stop());

  const operations = () =>
    Object.entries<any>(document.paths).flatMap(([path, item]) =>
      Object.entries<any>(item)
        .filter(([method]) => method !== 'parameters')
        .map(([method, operation]) => ({ path, method, operation })),
    );

  const filled = (path: string, id: unknown) =>
    path.replace('{id}', String(id)).replace('{slug}', 'all').replace('{plugin}', 'recommendations');

  it('is valid OpenAPI 3.1 to an independent validator', async () => {
    const result = await new Validator().validate(structuredClone(document));
    expect(result.errors).to.equal(undefined);
    expect(result.valid).to.equal(true);
    expect(document.openapi).to.match(/^3\.1\./);
  });

  it('names every operation once and refers only to what is there', () => {
    const names = operations().map(({ operation }) => operation.operationId);
    expect(new Set(names).size).to.equal(names.length);
    const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
      ([, name]) => name,
    );
    expect(references.length).to.be.greaterThan(100);
    for (const name of references) expect(document.components.schemas).to.have.property(name!);
  });

  it('says what is read from a body that comes as bytes', () => {
    const { content } = document.paths['/api/v2/job_templates/{id}/callback/'].post.requestBody;
    expect(content).to.have.all.keys('application/json', '*/*');
    expect(content['application/json'].schema.properties).to.have.all.keys('host_config_key', 'extra_vars');
  });

  it('holds exactly what the routes allow', async () => {
    for (const [path, item] of Object.entries<any>(document.paths)) {
      const { headers } = await service.request('OPTIONS', path.replace(/\{\w+\}/g, '1'));
      const methods = (headers.get('allow') ?? '').split(', ').filter((method) => !/HEAD|OPTIONS/.test(method));
      const described = Object.keys(item).filter((key) => key !== 'parameters');
      expect(described.map((method) => method.toUpperCase()).toSorted(), path).to.deep.equal(methods.toSorted());
    }
  });

  it('tells the truth about every answer to a GET', async () => {
    let looked = 0;
    for (const { path, method, operation } of operations()) {
      const schema = operation.responses['200']?.content?.['application/json']?.schema;
      const type = operation.tags[0];
      if (method !== 'get' || !schema || (path.includes('{id}') && ids[type] === undefined)) continue;
      const answer = await service.get(filled(path, ids[type]));
      expect(answer.status, path).to.equal(200);
      looked += 1;
    }
    expect(looked).to.be.greaterThan(60);
  });

  it('needs a login', async () => {
    expect((await service.get('openapi.json', { auth: null })).status).to.equal(401);
  });
});
