import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Stage, startStage } from './fixture.ts';

/** What YAML 1.1 and 1.2 differ in, and what JSON says of it. */
const table: Record<string, [written: string, json: string]> = {
  word: ['yes', 'true'],
  other_word: ['Off', 'false'],
  letter: ['y', '"y"'],
  nothing: ['~', 'null'],
  octal: ['0777', '511'],
  new_octal: ['0o17', '"0o17"'],
  hexadecimal: ['0x1F', '31'],
  binary: ['0b101', '5'],
  grouped: ['1_000', '1000'],
  sexagesimal: ['1:30', '90'],
  clock: ['12:30:45', '45045'],
  zeros: ['08', '"08"'],
  exact: ['12345678901234567890', '12345678901234567890'],
  whole: ['1.0', '1.0'],
  exponent: ['1e3', '"1e3"'],
  signed_exponent: ['1.5e+3', '1500.0'],
  date: ['2001-12-14', '"2001-12-14"'],
  quoted: ['"0777"', '"0777"'],
  quoted_word: ["'yes'", '"yes"'],
  empty: ['""', '""'],
  sign: ['"="', '"="'],
  tagged: ['!!str 0777', '"0777"'],
  number: ['! "12"', '12'],
  folded: ['>-\n    a\n    b', '"a b"'],
  names: ['{yes: 1, 1.50: 2, ~: 3}', '{"true": 1, "1.5": 2, "null": 3}'],
  merged: ['{<<: *base, b: 2}', '{"a": 1, "b": 2}'],
  twice: ['{a: 1, a: 2}', '{"a": 2}'],
};
const text = (name: string) =>
  `${name}_base: &base {a: 1, b: 1}\n${name}:\n${Object.entries(table)
    .map(([key, [written]]) => `  ${key}: ${written}\n`)
    .join('')}`;

const sides = ['by_launch', 'by_template', 'by_host', 'by_group', 'by_inventory', 'by_engine'];
const playbook = `- hosts: all
  gather_facts: false
  vars_files: [by_engine.yml]
  tasks:
    - debug:
        msg: "{{ [${sides.join(', ')}] | map('to_json') }}"
`;

describe('variables of a job', function () {
  let stage: Stage;
  before(async () => {
    stage = await startStage();
    const folder = join(stage.dataDir, 'projects', 'stage');
    writeFileSync(join(folder, 'variables.yml'), playbook);
    writeFileSync(join(folder, 'by_engine.yml'), text('by_engine'));
  });
  after(() => stage?.stop());

  it('mean the same wherever they are written, and what they mean to the engine', async () => {
    const { body: first } = await stage.get('inventories/');
    const { organization } = first.results[0];
    const make = async (path: string, body: object) => {
      const answer = await stage.post(path, body);
      expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
      return answer.body.id as number;
    };
    const inventory = await make('inventories/', { name: 'sides', organization, variables: text('by_inventory') });
    const local = 'ansible_connection: local\nansible_python_interpreter: "{{ ansible_playbook_python }}"\n';
    const group = await make('groups/', { name: 'g', inventory, variables: text('by_group') });
    await make(`groups/${group}/hosts/`, { name: 'here', variables: local + text('by_host') });
    const template = await stage.template({
      inventory,
      playbook: 'variables.yml',
      extra_vars: text('by_template'),
      ask_variables_on_launch: true,
    });
    const { id } = await stage.launch(template, { extra_vars: text('by_launch') });
    expect(await stage.ended(id)).to.include({ status: 'successful', job_explanation: '' });
    const { body } = await stage.get(`jobs/${id}/job_events/?event=runner_on_ok`);
    const said: string[] = body.results[0].event_data.res.msg;
    const wanted = `{${Object.entries(table)
      .map(([key, [, json]]) => `"${key}": ${json}`)
      .join(', ')}}`;
    for (const [index, side] of sides.entries()) expect(said[index], side).to.equal(wanted);
  });

  it('keep all digits of their numbers', async () => {
    const template = await stage.template({
      extra_vars: 'a: 1.0\nb: 12345678901234567890',
      ask_variables_on_launch: true,
    });
    expect((await stage.launch(template, { extra_vars: '{"c": 1e5, "d": [2.50]}' })).extra_vars).to.equal(
      '{"a":1.0,"b":12345678901234567890,"c":1e5,"d":[2.50]}',
    );
    // as a client sends them back that knows numbers as JavaScript does
    const again = await stage.launch(template, { extra_vars: JSON.parse('{"a": 1.0, "b": 12345678901234567890}') });
    expect(again.extra_vars).to.equal('{"a":1.0,"b":12345678901234567890}');
    const unasked = await stage.launch(await stage.template(), { extra_vars: 'a: 1.0' });
    expect(unasked.ignored_fields).to.deep.equal({ extra_vars: { a: 1 } });
  });
});
