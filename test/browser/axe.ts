import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { ROOT } from '../e2e/processes.ts'

const AXE = readFileSync(join(ROOT, 'node_modules/axe-core/axe.min.js'), 'utf8')
interface AxeResult {
  readonly violations: readonly {
    readonly id: string
    readonly nodes: readonly { readonly html: string }[]
  }[]
  readonly passes: readonly unknown[]
}

/** What axe finds, by the rules of WCAG 2.2 AA and its best practices. */
export async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE)
  const result = (await page.evaluate(
    `axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })`,
  )) as AxeResult
  expect(result.passes.length).toBeGreaterThan(15)
  return result.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
