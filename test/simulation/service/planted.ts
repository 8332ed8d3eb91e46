import type { PlantedFault } from '../planted.ts'

export type PlantedServiceFault = Pick<PlantedFault, 'what' | 'rule' | 'file' | 'from' | 'to' | 'isQuick'>

export const PLANTED_IN_SERVICE: readonly PlantedServiceFault[] = [
  {
    what: 'an answer is given before the commit',
    rule: 'V1',
    file: 'service/store/sqlite/group-commit.ts',
    from: '      const value = await work()\n      return () => resolve(value)\n    })\n  }\n\n  /** The same',
    to: '      const value = await work()\n      resolve(value)\n      return () => undefined\n    })\n  }\n\n  /** The same',
    isQuick: true,
  },
  {
    what: 'a batch stores all changes but its last',
    rule: 'V1',
    file: 'service/api/writing/writing.ts',
    from: 'for (const { after, before } of changes) await',
    to: 'for (const { after, before } of changes.slice(0, Math.max(1, changes.length - 1))) await',
  },
  {
    what: 'the cache of updates keeps what was rolled back',
    rule: 'V1',
    file: 'service/store/sqlite/store.ts',
    from: 'onRollback: () => this.#invalidateCaches(),',
    to: 'onRollback: () => undefined,',
  },
  {
    what: 'the last RRSet of a name leaves no entry of the trail',
    rule: 'V3',
    file: 'service/api/writing/writing.ts',
    from: 'store.removeName(before ?? name, now)',
    to: 'store.removeName(name, now)',
  },
  {
    what: 'a lock does not stop an update',
    rule: 'V6',
    file: 'service/update/permission.ts',
    from: 'const access = { accountId, isProhibited, isBlocked,',
    to: 'const access = { accountId, isProhibited: false, isBlocked: isBlocked && isProhibited,',
  },
  {
    what: 'If-Match is not checked',
    rule: 'V7',
    file: 'service/api/answer/precondition.ts',
    from: 'return isMet ? undefined',
    to: 'return isMet || true ? undefined',
  },
  {
    what: 'a step of the journal lacks what goes',
    rule: 'V4',
    file: 'service/publish/flush.ts',
    from: 'gone: encodeRows(gone)',
    to: 'gone: encodeRows([])',
  },
  {
    what: 'what goes stays published',
    rule: 'V8',
    file: 'service/publish/flush.ts',
    from: 'await w.replacePublished(zone.id, { gone, come })',
    to: 'await w.replacePublished(zone.id, { gone: [], come })',
  },
  {
    what: 'an import leaves out a name that changed since it began',
    rule: 'V1',
    file: 'service/store/sql/bulk.ts',
    from: 'if (to !== undefined) await addName(sql, to,',
    to: 'if (to === undefined) await addName(sql, to as never,',
  },
  {
    what: 'an import leaves out the first name of each step',
    rule: 'V1',
    file: 'service/admin/store/zone-draft.ts',
    from: 'w.fillDraft(draft, part, lease(clocks))',
    to: 'w.fillDraft(draft, part.slice(1), lease(clocks))',
  },
  {
    what: 'what was removed is deleted up to the first step only',
    rule: 'V9',
    file: 'service/store/sql/bulk.ts',
    from: 'return { zoneId, table: at, last: found }',
    to: 'return undefined as never',
  },
  {
    what: 'what another node has written is not seen',
    rule: 'V4',
    file: 'service/store/sqlite/store.ts',
    from: 'if (current === this.#dataVersion) return',
    to: 'if (current !== undefined) return',
  },
]
