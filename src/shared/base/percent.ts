/** The text without percent-encoding (RFC 3986 §2.1); octets that are no UTF-8 become U+FFFD, and a percent sign stays. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (octets) =>
      Buffer.from(octets.replaceAll('%', ''), 'hex').toString('utf8'),
    )
  }
}
