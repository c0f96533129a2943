import { expect } from 'chai';
import { inPackage, outwardCalls, packageOf, readPath } from '../engine/module-text.ts';
import { readResult } from '../shapes.ts';

const nameless = 'Denied by policy p.';

describe('results of policies', () => {
  for (const [what, result, decision, deny, warn] of [
    ['deny as a list', { deny: ['a', 'b'] }, 'deny', ['a', 'b'], []],
    ['deny as a text', { deny: 'a' }, 'deny', ['a'], []],
    ['deny as true', { deny: true }, 'deny', [nameless], []],
    ['deny as false', { deny: false }, 'allow', [], []],
    ['deny as a map', { deny: { a: true, b: false } }, 'deny', ['a'], []],
    ['deny as objects', { deny: [{ msg: 'a' }, { message: 'b' }, { reason: 'c' }] }, 'deny', ['a', 'b', 'c'], []],
    ['an empty deny', { deny: [] }, 'allow', [], []],
    ['an empty message', { deny: [''] }, 'deny', [nameless], []],
    ['violation', { violation: [{ msg: 'a' }] }, 'deny', ['a'], []],
    ['violations', { violations: ['a'] }, 'deny', ['a'], []],
    ['warn', { warn: ['w'] }, 'warn', [], ['w']],
    ['warnings', { warnings: 'w' }, 'warn', [], ['w']],
    ['deny and warn', { deny: ['a'], warn: ['w'] }, 'deny', ['a'], ['w']],
    ['allow true', { allow: true }, 'allow', [], []],
    ['allow false', { allow: false }, 'deny', [nameless], []],
    ['allow false with reasons', { allow: false, reasons: ['a'] }, 'deny', ['a'], []],
    ['allow false with msg', { allow: false, msg: 'a' }, 'deny', ['a'], []],
    ['allowed false with violations', { allowed: false, violations: ['a'] }, 'deny', ['a'], []],
    ['allowed true with none', { allowed: true, violations: [] }, 'allow', [], []],
    ['allow true with deny', { allow: true, deny: ['a'] }, 'deny', ['a'], []],
    ['true', true, 'allow', [], []],
    ['false', false, 'deny', [nameless], []],
    ['a list', ['a'], 'deny', ['a'], []],
    ['an empty list', [], 'allow', [], []],
    ['a decision', { decision: 'warn', message: 'w' }, 'warn', [], ['w']],
    ['a decision with messages', { decision: 'deny', messages: ['a', 'b'] }, 'deny', ['a', 'b'], []],
    ['a decision to allow', { decision: 'allow', message: 'fine' }, 'allow', [], []],
  ] as const)
    it(`are understood: ${what}`, () => {
      expect(readResult(result, 'p')).to.deep.equal({ decision, deny, warn, recognized: true });
    });

  for (const result of [undefined, null, 5, 'deny', {}, { denies: ['a'] }, { decision: 'perhaps' }])
    it(`count as allow where nobody knows their shape: ${JSON.stringify(result)}`, () => {
      expect(readResult(result, 'p')).to.deep.equal({ decision: 'allow', deny: [], warn: [], recognized: false });
    });
});

describe('texts of modules', () => {
  it('tell their package, whatever stands before it', () => {
    expect(packageOf('package a')).to.deep.equal(['a']);
    expect(packageOf('# package x\n\n  package a.b_c["d-e"]\n')).to.deep.equal(['a', 'b_c', 'd-e']);
    for (const none of ['', 'deny := true', '# package a', 'package', 'package "a"'])
      expect(packageOf(none), none).to.equal(undefined);
  });

  it('tell what reaches out, however it is written', () => {
    const says = (code: string) => outwardCalls(`package a\nx := ${code}`);
    expect(says('http.send({})')).to.deep.equal(['http.send']);
    expect(says('http["send"]({})')).to.deep.equal(['http.send']);
    expect(says('$"{http.send({})}"')).to.deep.equal(['http.send']);
    expect(says('net.lookup_ip_addr("x")')).to.deep.equal(['net.lookup_ip_addr']);
    expect(says('opa.runtime().env')).to.deep.equal(['opa.runtime']);
    expect(says('1 # never http.send')).to.deep.equal([]);
    expect(says('"# no comment" http.send')).to.deep.equal(['http.send']);
  });

  it('are moved into another package', () => {
    expect(inPackage('# first\npackage a.b\n\ndeny := true', 'c.d')).to.equal('package c.d\n\ndeny := true');
  });

  it('are asked by paths that are names and nothing else', () => {
    expect(readPath('data.a.b')).to.deep.equal(['a', 'b']);
    expect(readPath('/a/b/')).to.deep.equal(['a', 'b']);
    for (const wrong of ['a/../b', 'a?x=1', 'a#b', 'a b', 'a//b', 'a%2fb', '', '..', 'a;b'])
      expect(readPath(wrong), wrong).to.equal(undefined);
  });
});
