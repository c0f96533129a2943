import { expect } from 'chai';
import { standIns } from '../../config/stand-ins.ts';
import { headerCalled, underEachPrefix } from '../../core/config/named-alike.ts';

describe('stand-ins', () => {
  it('are taken for a header that is missing, and only then', () => {
    for (const [name, others] of Object.entries(standIns.headers))
      for (const other of others) {
        expect(headerCalled({ [other]: 'theirs' }, name)).to.equal('theirs');
        expect(headerCalled({ [other]: 'theirs', [name]: '' }, name)).to.equal('');
      }
    expect(headerCalled({}, 'x-unknown')).to.equal(undefined);
  });

  it('put what a run is told under each prefix', () => {
    expect(underEachPrefix({ job_id: 3 })).to.deep.equal({ svc_job_id: 3, awx_job_id: 3, tower_job_id: 3 });
  });
});
