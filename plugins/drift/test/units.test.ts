import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { matchesGlob } from '../alerts/glob.ts';
import { type Moment, ofHosts } from '../alerts/replay.ts';
import { chainOf, type Report } from '../capture/chain.ts';
import { factsOfText } from '../capture/read-facts.ts';
import { classify, isVolatile } from '../detect/classify.ts';
import { outliersOf } from '../detect/outliers.ts';
import { differences } from '../detect/detect.ts';
import { wholeOf } from '../facts/canonical.ts';
import { pack, unpacked, unpackedText } from '../facts/content.ts';
import { membersOf } from '../facts/members.ts';

const own = join(import.meta.dirname, '../../../.tools/engine/bin/python');
const python = existsSync(own) ? own : '/usr/bin/python3';
const asPython = (script: string, input: string): string => execFileSync(python, ['-c', script], { input }).toString();
const sorted = 'import json, sys; sys.stdout.write(json.dumps(json.load(sys.stdin), sort_keys=True))';

const differ = (before: object, after: object, options = {}) =>
  differences(factsOfText(JSON.stringify(before)), factsOfText(JSON.stringify(after)), options);

describe('facts as JSON with sorted keys', () => {
  const hostile = String.raw`{
    "floats": [1.0, 0.1, -0.0, 1e16, 1e15, 1.5e+16, 123456789.123456789, 1e-4, 0.00001, 5e-324, 1.7976931348623157e308, 2.50, 100.0],
    "integers": [0, -1, 9007199254740993, 123456789012345678901234567890, -18446744073709551615],
    "texts": ["\u00e9", "\u007f", "\ud83d\ude00", "\u2028", "\b\f\n\r\t\u0001\u001f", "\"\\/", "\ufffd"],
    "words": [true, false, null], "empty": [{}, [], ""],
    "\ue000": 1, "\ud83d\ude00": 2, "z": 3, "Z": 4, "é": 5, "10": 6, "9": 7, "__proto__": {"a": 1}, "constructor": 8, "": 9
  }`;

  it('are the text that Python writes', () => {
    expect(wholeOf(factsOfText(hostile).texts).text).to.equal(asPython(sorted, hostile));
  });

  it('are taken apart again without being parsed', () => {
    const { texts } = factsOfText(hostile);
    expect(membersOf(wholeOf(texts).text)).to.deep.equal(texts);
    for (const odd of ['{}', '{"a": "\\\\"}', '{"a": "\\\\\\"", "b": [{"c": "]}, "}]}', '{"\\"": {}, "b": 1.0}'])
      expect(membersOf(odd), odd).to.deep.equal(factsOfText(odd).texts);
  });

  it('survive being packed, and come out as the same text', () => {
    const { text } = wholeOf(factsOfText(hostile).texts);
    const { content, base = null } = pack(text);
    expect(wholeOf(factsOfText(JSON.stringify(unpacked({ content, base }))).texts).text).to.equal(text);
  });

  it('are kept as what differs from a base, until that is too much; what was kept as a whole is read still', () => {
    const of = (clock: number, kept: number) => {
      const facts = Object.fromEntries(
        Array.from({ length: 500 }, (_, n) => [`fact-${n}`, n < kept ? `${n}`.repeat(9) : n * Math.E * clock]),
      );
      return wholeOf(factsOfText(JSON.stringify({ ...facts, clock })).texts).text;
    };
    const first = pack(of(1, 500));
    expect(first.content.length).to.equal(0);
    const { base } = unpackedText({ content: first.content, base: first.base! });
    const second = pack(of(2, 499), base);
    expect(second.base).to.equal(undefined);
    expect(second.content.length).to.be.lessThan(first.base!.length / 10);
    expect(unpackedText({ content: second.content, base: first.base! }).text).to.equal(of(2, 499));
    const other = pack(of(3, 0), base);
    expect(unpackedText({ content: other.content, base: other.base! }).text).to.equal(of(3, 0));
    expect(unpackedText({ content: zstdCompressSync('{}'), base: null })).to.deep.equal({ text: '{}' });
  });
});

describe('drift', () => {
  it('is one difference for each top-level key, but for what changes by itself', () => {
    const before = { ansible_kernel: '6.1.0-18', ansible_date_time: 1, ansible_local: 1, gone: [1], same: { a: 1 } };
    const after = { ansible_kernel: '6.1.0-21', ansible_date_time: 2, ansible_local: 2, come: 5, same: { a: 1 } };
    const found = differ(before, after);
    expect(found.map(({ fact_path: path, diff_type: type, summary }) => [path, type, summary])).to.deep.equal([
      ['ansible_kernel', 'changed', 'kernel changed from 6.1.0-18 to 6.1.0-21'],
      ['come', 'added', 'come added: 5'],
      ['gone', 'removed', 'gone removed'],
    ]);
    expect(found[1]!.detail).to.deep.equal({ before: null, after: 5, diff_type: 'added', paths: [] });
    expect(differ(before, after, { withVolatile: true }).length).to.equal(5);
    for (const name of ['ansible_kernel', 'kernel'])
      expect(differ(before, after, { ignored: [name] }).length).to.equal(2);
    expect(differ(before, after, { overrides: { kernel: 'low' } })[0]!.severity).to.equal('low');
  });

  it('tells places within a fact, at most 200 of them, and keys apart that differ in case only', () => {
    const [found] = differ({ mounts: [{ 'a/b~': 1, old: 0 }] }, { mounts: [{ 'a/b~': 2, new: 0 }] });
    expect(found!.detail.paths).to.deep.equal([
      { op: 'replace', path: '/0/a~1b~0', before: 1, value: 2 },
      { op: 'remove', path: '/0/old', before: 0 },
      { op: 'add', path: '/0/new', value: 0 },
    ]);
    const many = (value: number) => ({
      packages: Object.fromEntries(Array.from({ length: 900 }, (_, n) => [n, value])),
    });
    expect(differ(many(1), many(2))[0]!.detail.paths).to.have.length(200);
    expect(differ({ Kernel: 1, kernel: 1 }, { Kernel: 1, kernel: 2 }).map((one) => one.fact_path)).to.deep.equal([
      'kernel',
    ]);
    expect(differ({ deep: { a: { b: 1 } } }, { deep: { a: { b: 2 } } })[0]!.summary).to.equal(
      'deep/a/b changed from 1 to 2',
    );
  });

  it('goes as deep as the database lets facts be nested', () => {
    const nested = (value: number) => ({ deep: JSON.parse(`${'['.repeat(3000)}${value}${']'.repeat(3000)}`) });
    expect(differ(nested(1), nested(2))[0]!.summary).to.match(/^deep\/0\/0.*changed from 1 to 2$/);
  });

  for (const [key, category, severity] of [
    ['ansible_packages', 'packages', 'medium'],
    ['pkg_mgr', 'packages', 'medium'],
    ['ansible_pip_version', 'packages', 'medium'],
    ['container_package_list', 'packages', 'medium'],
    ['services', 'services', 'medium'],
    ['ansible_service_mgr', 'services', 'medium'],
    ['service_mgr', 'services', 'medium'],
    ['ansible_systemd', 'services', 'medium'],
    ['ansible_user_id', 'users_groups', 'high'],
    ['ansible_effective_group_ids', 'users_groups', 'high'],
    ['passwd', 'users_groups', 'high'],
    ['getent_passwd', 'other', 'low'],
    ['ansible_all_ipv4_addresses', 'network', 'high'],
    ['all_ipv6_addresses', 'network', 'high'],
    ['ansible_all_ipv6_addresses', 'network', 'high'],
    ['interfaces', 'network', 'high'],
    ['ansible_interfaces', 'network', 'high'],
    ['tcp_ports', 'network', 'high'],
    ['ansible_listening_port', 'network', 'high'],
    ['ansible_mounts', 'mounts', 'medium'],
    ['ansible_lvm', 'mounts', 'medium'],
    ['devices', 'mounts', 'medium'],
    ['ansible_devices', 'mounts', 'medium'],
    ['ansible_disk_uuids', 'mounts', 'medium'],
    ['ansible_kernel_version', 'kernel', 'critical'],
    ['ansible_selinux', 'kernel', 'critical'],
    ['sysctl', 'kernel', 'critical'],
    ['ansible_hostname', 'other', 'low'],
  ] as const)
    it(`of ${key} is ${category}, ${severity}`, () => {
      expect(classify(key)).to.deep.equal({ category, severity });
    });

  it('is nothing of what is volatile, with the prefix of the engine or without', () => {
    for (const key of ['date_time', 'uptime_seconds', 'local', 'module_setup', 'gather_subset'])
      expect([isVolatile(key), isVolatile(`ansible_${key}`)]).to.deep.equal([true, true]);
    expect(isVolatile('ansible_locale')).to.equal(false);
  });
});

describe('outliers', () => {
  const hostsOf = (values: ReadonlyMap<number, ReadonlyMap<string, string>>) =>
    (async function* () {
      for (const [host, of] of values)
        yield [
          host,
          { paths: [...of.keys()], digests: Float64Array.from(of.values(), (text) => text.charCodeAt(0)) },
        ] as const;
    })();

  it('are weighed as drift is, and what nobody wants to hear of is none', async () => {
    const values = new Map(
      [1, 2, 3].map((host) => [
        host,
        new Map([
          ['load', `${host === 3}`],
          ['noise', `${host === 3}`],
        ]),
      ]),
    );
    const found = await outliersOf(hostsOf(values), { overrides: { load: 'high' }, ignored: ['noise'] });
    const load = { fact_path: 'load', category: 'other', severity: 'high', alike: 2 };
    expect(found).to.deep.equal({ hosts: 3, differ: 1, outliers: [{ host: 3, count: 1, facts: [load] }] });
    const counted = await outliersOf(hostsOf(values), { ignored: ['noise'] }, { hosts: 0, facts: 1 });
    expect(counted).to.deep.equal({ hosts: 3, differ: 1, outliers: [] });
  });

  it('are told of with some of their facts, and with how many there are', async () => {
    const names = Array.from({ length: 50 }, (_, n) => `fact-${n}`);
    const values = new Map([1, 2, 3].map((host) => [host, new Map(names.map((name) => [name, `${host === 3}`]))]));
    const { outliers } = await outliersOf(hostsOf(values), {}, { hosts: 5, facts: 7 });
    expect(outliers.map(({ host, count, facts }) => [host, count, facts.length])).to.deep.equal([[3, 50, 7]]);
  });

  it('are those that counting all values of all hosts finds', async () => {
    const value = fc.constantFrom('a', 'a', 'a', 'b', 'c', undefined);
    const facts = fc.record({ w: value, x: value, y: fc.constantFrom('a', undefined), z: fc.constantFrom('a', 'b') });
    await fc.assert(
      fc.asyncProperty(fc.array(facts, { maxLength: 12 }), async (all) => {
        const given = all.map(
          (of) => new Map<string, string>(Object.entries(of).flatMap(([key, is]) => (is ? [[key, is]] : []))),
        );
        const keys = [...new Set(given.flatMap((of) => [...of.keys()]))];
        const usual = keys.flatMap((key) => {
          const counts = Map.groupBy(given, (of) => of.get(key));
          const [most] = [...counts].filter(([, { length }]) => length > given.length / 2);
          return most ? [{ key, value: most[0], alike: most[1].length }] : [];
        });
        const expected = given.flatMap((of, host) => {
          const unlike = usual.filter(({ key, value: is }) => of.get(key) !== is);
          return unlike.length ? [[host, unlike.map(({ key, alike }) => `${key} ${alike}`).toSorted()]] : [];
        });
        const { hosts, outliers } = await outliersOf(hostsOf(new Map(given.entries())), {});
        expect(hosts).to.equal(given.length);
        const found = outliers.map((one) => [
          one.host,
          one.facts.map((of) => `${of.fact_path} ${of.alike}`).toSorted(),
        ]);
        expect(found).to.deep.equal(expected);
      }),
    );
  });
});

describe('reports of a host', () => {
  const report = (run: number, old: string | null, hash: string, settled = false): Report => ({
    run_id: run,
    old_hash: old,
    new_hash: hash,
    settled,
  });
  const chained = (reports: Report[], latest: string | null, current: string | null) => {
    const { steps, done, waiting } = chainOf(reports, { latest, current });
    return [steps.map(({ hash, run_id: run }) => `${hash}:${run ?? ''}`).join(' '), done, waiting];
  };

  it('are put into the order in which the facts changed', () => {
    expect(chained([report(2, 'b', 'c'), report(1, 'a', 'b')], 'a', 'c')).to.deep.equal(['b:1 c:2', [1, 2], []]);
    expect(chained([report(3, 'b', 'a'), report(2, 'a', 'b')], 'a', 'a')).to.deep.equal(['b:2 a:3', [2, 3], []]);
    expect(chained([report(1, null, 'a')], null, 'a')).to.deep.equal(['a:1', [1], []]);
  });

  it('wait for what belongs before them, while it can come', () => {
    expect(chained([report(2, 'b', 'c')], 'a', 'c')).to.deep.equal(['', [], [2]]);
    expect(chained([report(2, 'b', 'c')], null, 'c')).to.deep.equal(['', [], [2]]);
  });

  it('go on from the state that they begin with where nothing can come any more', () => {
    expect(chained([report(2, 'b', 'c', true)], 'a', 'c')).to.deep.equal(['b: c:2', [2], []]);
    expect(chained([report(2, 'b', 'c', true)], null, 'c')).to.deep.equal(['b: c:2', [2], []]);
    expect(chained([report(5, null, 'c', true)], 'a', 'c')).to.deep.equal(['c:5', [5], []]);
  });

  it('are dropped where later ones have passed them', () => {
    expect(chained([report(1, 'a', 'b', true)], 'c', 'c')).to.deep.equal(['', [1], []]);
  });
});

describe('patterns for names of hosts', () => {
  const cases: [string, string[], string[]][] = [
    ['*', ['', 'web1', 'a.b'], []],
    ['web?', ['web1'], ['web', 'web12', 'Web1']],
    ['web[0-3].*', ['web0.x', 'web3.'], ['web4.x', 'web']],
    ['db[!ab]', ['dbc'], ['dba', 'db']],
    ['[]x]1', [']1', 'x1'], ['[1']],
    ['a[b', ['a[b'], ['ab']],
    ['*.example.*', ['x.example.com'], ['example.com']],
    ['[a-]', ['a', '-'], ['b']],
  ];
  for (const [pattern, yes, no] of cases)
    it(`${pattern} is the shell's`, () => {
      for (const name of yes) expect(matchesGlob(pattern, name), name).to.equal(true);
      for (const name of no) expect(matchesGlob(pattern, name), name).to.equal(false);
      const script =
        'import fnmatch, json, sys; p, n = json.load(sys.stdin); print(json.dumps([fnmatch.fnmatchcase(x, p) for x in n]))';
      const theirs = JSON.parse(asPython(script, JSON.stringify([pattern, [...yes, ...no]])));
      expect(theirs).to.deep.equal([...yes.map(() => true), ...no.map(() => false)]);
    });

  it('end soon however they are built', () => {
    expect(matchesGlob(`${'*a'.repeat(250)}b`, 'a'.repeat(512))).to.equal(false);
    expect(matchesGlob('['.repeat(512), 'a'.repeat(512))).to.equal(false);
  });
});

describe('drift of hosts that a pattern names', () => {
  // as slow as patterns get: 65 000 steps for each name
  const pattern = `*${'a'.repeat(255)}b`;
  const long = 'a'.repeat(512);
  const moment = (host_name: string): Moment => ({ host_name, host_id: 1, at: '2026-01-01T00:00:00Z', changes: 1 });

  it('is kept, and nothing else', async () => {
    const moments = ['db-1', 'web-1', 'db-2', 'db-1'].map(moment);
    expect(await ofHosts('db-*', moments)).to.deep.equal([moments[0], moments[2], moments[3]]);
    expect(await ofHosts('*', moments)).to.deep.equal(moments);
  });

  it('is found by comparing a name once, however often its host drifted', async () => {
    const before = process.cpuUsage();
    expect(await ofHosts(pattern, Array<Moment>(50_000).fill(moment(long)))).to.deep.equal([]);
    const { user } = process.cpuUsage(before);
    // one by one it takes above 10 s
    expect(user / 1000).to.be.below(1500);
  });

  it('lets requests go on between portions of names', async () => {
    let turns = 0;
    let going = true;
    const turn = () => {
      turns++;
      if (going) setImmediate(turn);
    };
    setImmediate(turn);
    await ofHosts(
      pattern,
      Array.from({ length: 1000 }, (_, n) => moment(`${long.slice(4)}${n}`)),
    );
    going = false;
    expect(turns).to.be.at.least(33);
  });
});
