import { expect } from 'chai';
import { bookResources, bookSql } from './books.ts';
import { openStage, type Stage } from './stage.ts';

describe('formats of a list', function () {
  let stage: Stage;
  before(async () => (stage = await openStage(bookResources, { sql: bookSql })));
  after(() => stage.close());

  const read = async (path: string, { as = 'admin', headers = {}, ...more }: any = {}) => {
    const reply = await fetch(`${stage.url}/api/v2/${path}`, { headers: { 'x-caller': as, ...headers }, ...more });
    return { status: reply.status, headers: reply.headers, text: await reply.text() };
  };
  const lines = async (path: string, options?: any) => (await read(path, options)).text.split('\r\n');
  describe('CSV', () => {
    it('has a line of titles, quotes what must be, and makes no formula of a text', async () => {
      const { status, headers, text } = await read('books/?format=csv&id__lt=10');
      expect(status).to.equal(200);
      expect(headers.get('content-type')).to.equal('text/csv; charset=utf-8');
      expect(headers.get('content-disposition')).to.equal('attachment; filename="books.csv"');
      expect(text).to.equal(
        [
          'Title,Pages,Sold,Tags,Printed,Shelf',
          'plain,1,true,"[""a"",""b""]",2026-01-01T00:00:00Z,"top, left"',
          '"a ""quoted"", one\nof two lines",-5,false,[],,',
          "'=1+1,0,false,[],,",
          "'+1,0,false,[],,",
          "'-1,0,false,[],,",
          "'@sum(a1),0,false,[],,",
          "'\ttab,0,false,[],,",
          '"\'\rcr",0,false,[],,',
          'größer,0,false,[],,',
          '',
        ].join('\r\n'),
      );
    });

    it('makes no formula of the wide signs either', async () => {
      const names = [...'\uff1d\uff0b\uff0d\uff20'].map((sign) => `${sign}1+1`);
      await stage.db('books').insert(names.map((name) => ({ name })));
      const shown = await lines('books/?format=csv&pages=0&order_by=id');
      await stage.db('books').whereIn('name', names).delete();
      expect(shown.slice(-5, -1)).to.deep.equal(names.map((name) => `'${name},0,false,[],,`));
    });

    it('has every field that lists show where no columns are named', async () => {
      const [titles, first] = await lines('books/?format=all&id=1');
      expect(titles).to.equal('id,name,pages,sold,tags,printed,shelf');
      expect(first).to.equal('1,plain,1,true,"[""a"",""b""]",2026-01-01T00:00:00Z,1');
    });

    it('of an empty list has the titles alone', async () => {
      expect((await read('books/?format=csv&name=none')).text).to.equal('Title,Pages,Sold,Tags,Printed,Shelf\r\n');
    });
  });

  it('hold what the list holds for the caller: rights, filters, parameters, search and order, but no pages', async () => {
    expect((await lines('books/?format=csv&page_size=1&page=7')).length).to.equal(12);
    expect(await lines('books/?format=lines', { as: 'nobody' })).to.not.match(/"id":10/);
    expect((await read('books/?format=lines&order_by=-id&id__in=1,2,10', { as: 'nobody' })).text).to.equal(
      '{"id":2,"Size":-10}\n{"id":1,"Size":2}\n',
    );
    expect((await read('books/?format=siem&since=2025-01-01&search=pla')).text).to.equal(
      '[\n{"id":1,"name":"plain"}\n]\n',
    );
  });

  it('are whatever their rows, header, separator and footer make of them', async () => {
    expect((await read('books/?format=xml&id__lt=3')).text).to.equal('<books><book id="1"/>|<book id="2"/></books>');
    expect((await read('books/?format=xml&id=0')).text).to.equal('<books></books>');
    expect((await read('books/?format=lines&id=0')).text).to.equal('');
  });

  it('are chosen by Accept as well, where it prefers them to JSON', async () => {
    const type = async (accept: string) =>
      (await read('books/?id=1', { headers: { accept } })).headers.get('content-type')!.split(';')[0];
    expect(await type('text/csv')).to.equal('text/csv');
    expect(await type('text/csv, application/json;q=0.5')).to.equal('text/csv');
    expect(await type('application/json, text/csv;q=0.5')).to.equal('application/json');
    expect(await type('text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8')).to.equal('application/json');
    expect(await type('*/*')).to.equal('application/json');
    expect((await read('books/', { headers: { accept: 'image/png' } })).status).to.equal(406);
  });

  it('exist below other records too, with what the place says of its rows', async () => {
    expect((await lines('shelves/1/books/?format=csv')).map((line) => line.split(',')[0])).to.deep.equal([
      'Title',
      'plain (here)',
      'hidden (here)',
      '',
    ]);
    expect((await read('shelves/9/books/?format=csv')).status).to.equal(404);
  });

  it('can be written by an action', async () => {
    const { text, headers } = await read('shelves/1/inventory/?order_by=-id', { as: 'nobody' });
    expect(headers.get('content-type')).to.include('text/csv');
    expect(text.split('\r\n').map((line) => line.split(',')[0])).to.deep.equal(['Title', 'plain', '']);
  });

  it('answer what is wrong as the list does', async () => {
    expect((await read('books/?format=pdf')).status).to.equal(404);
    expect((await read('books/1/?format=csv')).status).to.equal(404);
    expect((await stage.send('POST', 'books/?format=csv', { name: 'x' })).status).to.equal(404);
    expect((await read('books/?format=csv', { as: '' })).status).to.equal(401);
    const { status, text, headers } = await read('books/?format=csv&nothing=1');
    expect([status, headers.get('content-type')]).to.deep.equal([400, 'application/json; charset=utf-8']);
    expect(headers.get('content-disposition')).to.equal(null);
    expect(JSON.parse(text).detail).to.equal("Book has no field named 'nothing'.");
    expect((await read('books/?format=csv&since=soon')).status).to.equal(400);
  });

  it('stand in OPTIONS and in the description of the API', async () => {
    for (const path of ['books/', 'shelves/1/books/']) {
      const { renders, parameters } = (await stage.send('OPTIONS', path)).body;
      expect(renders, path).to.include.members(['application/json', 'text/csv', 'application/xml']);
      expect(parameters.format.choices.map(([name]: string[]) => name)).to.include.members(['json', 'csv', 'siem']);
    }
    expect((await stage.send('OPTIONS', 'shelves/')).body.renders).to.deep.equal(['application/json']);
    const action = (await stage.send('OPTIONS', 'shelves/1/inventory/')).body;
    expect(action.renders).to.deep.equal(['text/csv']);
    expect(action.parameters).to.include.keys('since');
    const { paths } = (await stage.get('openapi.json')).body;
    const { get } = paths['/api/v2/books/'];
    expect(get.responses[200].content).to.include.keys('application/json', 'text/csv', 'application/x-ndjson');
    const named = (parameters: any[]) => Object.fromEntries(parameters.map((one) => [one.name, one]));
    expect(named(get.parameters).format.schema.enum).to.include.members(['json', 'csv', 'xml']);
    const written = named(paths['/api/v2/shelves/{id}/inventory/'].get.parameters);
    expect(written).to.include.keys('since', 'order_by', 'search').and.not.have.property('format');
  });
});
