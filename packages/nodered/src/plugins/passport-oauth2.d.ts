declare module 'passport-oauth2' {
  namespace OAuth2Strategy {
    type Options = Record<string, unknown>
    type Verify = (...values: never[]) => void
  }
  class OAuth2Strategy {
    name: string
    constructor(options: OAuth2Strategy.Options, verify: OAuth2Strategy.Verify)
    userProfile(accessToken: string, done: (error: Error | null, profile?: object) => void): void
  }
  export = OAuth2Strategy
}
