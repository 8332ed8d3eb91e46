/** Standard input can be read once; accounts with password_file = "-" share its content. */
let stdin: Promise<string> | undefined
export const readStdin = (): Promise<string> => (stdin ??= readAll())

async function readAll(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk as Uint8Array))
  return Buffer.concat(chunks).toString('utf8')
}
