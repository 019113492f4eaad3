import type { FastifyInstance } from 'fastify'

/** Eight hues dark enough for white letters. */
const colours = ['#5753c6', '#0d74ce', '#218358', '#ab6400', '#ce2c31', '#8347b9', '#107d98', '#60646c']

function initials(name: string): string {
  const words = name.trim().split(/\s+/)
  const letters =
    words.length > 1 ? [words[0]!, words.at(-1)!].map((word) => [...word][0] ?? '') : [...(words[0] ?? '')].slice(0, 2)
  return letters.join('').toUpperCase()
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** The picture of a name: its initials on a colour that the name decides. */
function avatarSvg(name: string): string {
  const colour = colours[[...name].reduce((sum, letter) => sum + letter.codePointAt(0)!, 0) % colours.length]
  const text = initials(name).replace(/[&<>"]/g, (letter) => escapes[letter]!)
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><rect width="40" height="40" fill="${colour}"/>` +
    `<text x="20" y="21" dominant-baseline="middle" text-anchor="middle" font-family="sans-serif" font-size="16" fill="#fff">${text}</text></svg>`
  )
}

/** GET /avatar/{base64url of a name}: public, cached for ever since the address holds all it depends on. */
export function serveAvatars(app: FastifyInstance): void {
  app.get<{ Params: { name: string } }>('/avatar/:name', async (request, reply) => {
    const name = Buffer.from(request.params.name, 'base64url').toString('utf8').slice(0, 100)
    return reply
      .headers({
        'cache-control': 'public, max-age=31536000, immutable',
        'cross-origin-resource-policy': 'cross-origin',
      })
      .type('image/svg+xml')
      .send(avatarSvg(name))
  })
}
