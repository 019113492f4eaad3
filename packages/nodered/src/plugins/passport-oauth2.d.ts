declare module 'passport-oauth2' {
  namespace OAuth2Strategy {
    type Options = Record<string, unknown>
    type Verify = (...values: never[]) => void
  }
  class OAuth2Strategy {
    name: string
    constructor(options: OAuth2Strategy.Options, verify: OAuth2Strategy.Verify)
    /** Called for the way there and, with what the platform said in the query, for the way back. */
    authenticate(request: { query: Record<string, unknown> }, options: unknown): void
    /** Ends an `authenticate`. */
    error(error: Error): void
    userProfile(accessToken: string, done: (error: Error | null, profile?: object) => void): void
  }
  export = OAuth2Strategy
}
