import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseDocument } from '../../../../src/shared/settings/document.ts'
import { readClientConfig } from '../../../../src/client/settings/read-client.ts'
import { formatComplaint } from '../../../../src/shared/settings/setting.ts'

const FOLDER = join(import.meta.dirname, '../../../../docs/providers')
const PAGES = readdirSync(FOLDER).filter((name) => name !== 'README.md')

it('each service of grade A has a page', () => expect(PAGES.length).toBeGreaterThan(20))

it.each(PAGES)('the sample of %s is one that a start accepts', (page) => {
  const [, sample = ''] = /^```toml\n([^]*?)^```$/m.exec(readFileSync(join(FOLDER, page), 'utf8')) ?? []
  const read = readClientConfig({
    flags: {},
    environment: {},
    chosen: [],
    file: { name: page, document: parseDocument(sample, page) },
  })
  expect(read.ok ? [] : read.error.map(formatComplaint)).toEqual([])
})
