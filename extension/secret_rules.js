// @ts-check
// Written by `make rules` from secret_rules.yaml; change that file.
Reflect.get(globalThis, '__webspSecretRules') ?? Reflect.set(globalThis, '__webspSecretRules', {
 "everywhere": [
  {
   "what": "private key",
   "pattern": "-----BEGIN [A-Z ]{3,40}-----[^-]*(?:-----END [A-Z ]{3,40}-----)?"
  },
  {
   "what": "JSON web token",
   "pattern": "(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{8,}(?:\\.[A-Za-z0-9_-]+){0,4}"
  },
  {
   "what": "key with the prefix of its service",
   "pattern": "(?<![A-Za-z0-9])(?:gh[oprsu]_|github_pat_|glpat-|xox[a-z]-|xapp-|dckr_pat_|dop_v1_|shpat_|whsec_|AIza|ya29\\.|SG\\.|(?:AKIA|ASIA)(?=[A-Z0-9]{12})|(?:hf_|npm_|sk-(?:proj-|ant-)?|[sprk]k_(?:live|test)_)(?=[A-Za-z0-9]{16}))[A-Za-z0-9_.-]{8,}"
  },
  {
   "what": "UUID",
   "pattern": "[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}"
  },
  {
   "what": "hexadecimal number",
   "pattern": "(?<![A-Za-z0-9])(?:0x)?[0-9A-Fa-f]{16,}(?![A-Za-z0-9])"
  },
  {
   "what": "hexadecimal number in pairs",
   "pattern": "(?<![0-9A-Fa-f:])(?:[0-9A-Fa-f]{2}:){5,}[0-9A-Fa-f]{2}(?![0-9A-Fa-f:])"
  },
  {
   "what": "payment card",
   "pattern": "(?<![0-9])[0-9](?:[ -]?[0-9]){12,18}(?![0-9])",
   "card": true
  },
  {
   "what": "number of an account",
   "pattern": "[0-9]{9,}",
   "typed": false
  },
  {
   "what": "key in groups of capitals",
   "pattern": "(?<![A-Za-z0-9-])(?:(?=[A-Z0-9-]*[0-9])(?=[A-Z0-9-]*[A-Z])(?:[A-Z0-9]{4,8}-){2,}[A-Z0-9]{4,8}|(?:[A-Z]{4,6}-){3,}[A-Z]{4,6})(?![A-Za-z0-9-])",
   "odd": 2.4
  },
  {
   "what": "key in groups",
   "pattern": "(?<![A-Za-z0-9-])(?:[A-Za-z0-9]{4,8}-){3,}[A-Za-z0-9]{4,8}(?![A-Za-z0-9-])",
   "odd": 3.6
  },
  {
   "what": "social security number",
   "pattern": "(?<![0-9])(?<![0-9][.-])(?!000|666|9)[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4}(?![0-9-]|\\.[0-9])"
  },
  {
   "what": "number of a bank account",
   "pattern": "(?<![A-Za-z0-9])[A-Z]{2}[0-9]{2}(?: [A-Z0-9]{4}){3,7}(?: [A-Z0-9]{1,3})?(?![A-Za-z0-9])"
  },
  {
   "what": "random words joined",
   "pattern": "(?<![A-Za-z0-9])[A-Za-z0-9][A-Za-z0-9_+/=~-]{18,}[A-Za-z0-9=]",
   "odd": 4.2
  },
  {
   "what": "random word",
   "pattern": "(?<![A-Za-z0-9])[A-Za-z0-9]{16,}",
   "odd": 3.3
  }
 ],
 "texts": [
  {
   "what": "code after the word for it",
   "pattern": "((?:(?<!zip )(?<!postal )(?<!area )(?<!country )(?<!post)codes?|código|codice|(?<![a-z])(?:otp|totp|pin|tan|2fa|mfa|one.time|token|passcode|einmal[a-z]*))(?![a-z])[^0-9]{0,40})(?:[0-9]{6,8}|[0-9]{3}[ -][0-9]{3}|[0-9]{4}[ -][0-9]{4})(?:[ ,;]{1,3}(?:[0-9]{6,8}|[0-9]{3}[ -][0-9]{3}|[0-9]{4}[ -][0-9]{4}))*(?![0-9])",
   "ignore_case": true
  },
  {
   "what": "code before the word for it",
   "pattern": "(?<![0-9.,])(?:[0-9]{6,8}|[0-9]{3}[ -][0-9]{3})(?= (?:is|ist|es|est|è) [^0-9]{0,30}(?:code|código|codice|otp|pin|tan)(?![a-z]))",
   "ignore_case": true
  },
  {
   "what": "key, token or session after the word for it",
   "pattern": "((?:(?<![a-z])(?:key|keys|token|tokens|secret|session|sid|sessions|clave|jeton)|codes?|schlüssel)(?![a-z])(?: ?(?:id|is|ist))?[^0-9A-Za-z]{1,4})(?=[A-Za-z_-]*[0-9])(?=[0-9_-]*[A-Za-z])[A-Za-z0-9_-]{6,}(?:[ ,;]{1,3}(?=[A-Za-z_-]*[0-9])(?=[0-9_-]*[A-Za-z])[A-Za-z0-9_-]{6,})*",
   "ignore_case": true
  },
  {
   "what": "password after the word for it",
   "pattern": "((?:password|passphrase|passwort|kennwort|mot de passe|contraseña|senha|wachtwoord)(?: (?:is|ist|est|es))? ?[:=]? )(?=[^ ]*[0-9#$%&!=^@])(?=[^ ]*[A-Za-z])[^ ]{6,}",
   "ignore_case": true
  },
  {
   "what": "groups of letters and digits after the word for them",
   "pattern": "((?:passwords?|pass ?phrase|passwort|kennwort|schlüssel|(?<![a-z])(?:keys?|codes?|secret|seed|token|clave|clé|chiave)|código|mot de passe|contraseña|senha|wachtwoord)(?![a-z])(?:[^.:!?=]{0,60}(?:[:=]|(?<![a-z])(?:is|ist|lautet|est|es|è)(?![a-z]):?))?[^A-Za-z0-9]{1,3})(?:(?:[A-Za-z0-9]{3}[ -]{1,2}){3,}[A-Za-z0-9]{2,3}|(?:[A-Za-z0-9]{4}[ -]{1,2}){2,}[A-Za-z0-9]{2,4}|(?:[A-Za-z0-9]{5}[ -]{1,2}){2,}[A-Za-z0-9]{2,5}|(?:[A-Za-z0-9]{6}[ -]{1,2}){1,}[A-Za-z0-9]{4,6}|(?:[A-Za-z0-9]{7}[ -]{1,2}){1,}[A-Za-z0-9]{5,7}|(?:[A-Za-z0-9]{8}[ -]{1,2}){1,}[A-Za-z0-9]{6,8})(?![A-Za-z0-9])",
   "ignore_case": true,
   "odd": 3.2
  },
  {
   "what": "groups with letters and digits in each, after the word for them",
   "pattern": "((?:passwords?|pass ?phrase|passwort|kennwort|schlüssel|(?<![a-z])(?:keys?|codes?|secret|seed|token|clave|clé|chiave)|código|mot de passe|contraseña|senha|wachtwoord)(?![a-z])(?:[^.:!?=]{0,60}(?:[:=]|(?<![a-z])(?:is|ist|lautet|est|es|è)(?![a-z]):?))?[^A-Za-z0-9]{1,3})(?:(?:(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[A-Za-z0-9]{3,8}[ -]{1,2}){1,}(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[A-Za-z0-9]{3,8})(?![A-Za-z0-9])",
   "ignore_case": true,
   "odd": 3.6
  },
  {
   "what": "app password after the word for it",
   "pattern": "((?:passwords?|pass ?phrase|passwort|kennwort|schlüssel|(?<![a-z])(?:keys?|codes?|secret|seed|token|clave|clé|chiave)|código|mot de passe|contraseña|senha|wachtwoord)(?![a-z])(?:[^.:!?=]{0,40}(?:[:=]|(?<![a-z])(?:is|ist|lautet|est|es|è)(?![a-z]):?))?[^A-Za-z0-9]{1,3})(?:[a-z]{4} ){3}[a-z]{4}(?![A-Za-z0-9])",
   "odd": 2.4
  },
  {
   "what": "groups of four letters and digits",
   "pattern": "(?<![A-Za-z0-9-])(?=[A-Za-z ]{0,40}[0-9])(?:[A-Za-z0-9]{4} ){3,}[A-Za-z0-9]{2,4}(?![A-Za-z0-9])",
   "odd": 4.2
  },
  {
   "what": "hexadecimal number in groups",
   "pattern": "(?<![A-Za-z0-9])(?=[0-9 ]*[A-Fa-f])(?=[A-Fa-f ]*[0-9])(?:[0-9A-Fa-f]{4} {1,2}){4,}[0-9A-Fa-f]{4}(?![A-Za-z0-9])"
  },
  {
   "what": "recovery phrase after the words for it",
   "pattern": "((?:[Rr]ecovery|RECOVERY|[Ss]eed|SEED|[Bb]ackup|[Ss]ecret|[Mm]nemonic|[Ww]allet) (?:[Pp]hrase|PHRASE|[Ww]ords)(?:[^.:!?]{0,40}:| (?:is|are):?)? {0,2}|[Ww]iederherstellungs(?:phrase|wörter)(?:[^.:!?]{0,40}:| (?:ist|lautet|sind):?)? {0,2})(?!(?:and|are|been|but|does|for|from|has|her|his|into|its|may|must|not|our|out|some|than|the|their|them|these|those|through|was|were|which|while|who|with|would|your|yours)(?![a-z]))[a-z]{3,8}(?:(?:, ?|[ ])(?!(?:and|are|been|but|does|for|from|has|her|his|into|its|may|must|not|our|out|some|than|the|their|them|these|those|through|was|were|which|while|who|with|would|your|yours)(?![a-z]))[a-z]{3,8}){2,23}(?![A-Za-z0-9])"
  },
  {
   "what": "twelve words (or more, by threes) of which none binds, alone",
   "pattern": "((?:^|[:.!?)]) {0,2})(?!(?:and|are|been|but|does|for|from|has|her|his|into|its|may|must|not|our|out|some|than|the|their|them|these|those|through|was|were|which|while|who|with|would|your|yours)(?![a-z]))[a-z]{3,8}(?:(?:, ?| )(?!(?:and|are|been|but|does|for|from|has|her|his|into|its|may|must|not|our|out|some|than|the|their|them|these|those|through|was|were|which|while|who|with|would|your|yours)(?![a-z]))[a-z]{3,8}){11}(?:(?:(?:, ?| )(?!(?:and|are|been|but|does|for|from|has|her|his|into|its|may|must|not|our|out|some|than|the|their|them|these|those|through|was|were|which|while|who|with|would|your|yours)(?![a-z]))[a-z]{3,8}){3}){0,4}(?=$|…|\\.$| [A-Z])"
  },
  {
   "what": "numbered words",
   "pattern": "(?<![A-Za-z0-9.])[0-9]{1,2}[.):]? {0,2}[a-z]{3,8}(?:[ ,;]{1,3}[0-9]{1,2}[.):]? {0,2}[a-z]{3,8}){4,23}(?![A-Za-z0-9])"
  },
  {
   "what": "key in groups of small letters",
   "pattern": "(?<![A-Za-z0-9])(?:[a-z]{4} ){3,}[a-z]{4}(?![A-Za-z0-9])",
   "odd": 3.2
  },
  {
   "what": "list of codes",
   "pattern": "(?<![A-Za-z0-9])(?:[A-Za-z0-9]{4,6}-[A-Za-z0-9]{4,6}[ ,;]{1,3}){2,}[A-Za-z0-9]{4,6}-[A-Za-z0-9]{4,6}(?![A-Za-z0-9])",
   "odd": 3.6
  },
  {
   "what": "list of random words",
   "pattern": "(?<![A-Za-z0-9])(?:[A-Za-z0-9]{8,12}[ ,;]{1,3}){2,}[A-Za-z0-9]{8,12}(?![A-Za-z0-9])",
   "odd": 4
  },
  {
   "what": "list of numbers",
   "pattern": "(?<![A-Za-z0-9])(?:(?!(?:19|20)[0-9]{2}(?![0-9]))[0-9]{4}[ -]?[0-9]{4}[ ,;]{1,3})+[0-9]{4}[ -]?[0-9]{4}(?![0-9])"
  },
  {
   "what": "two halves of a code",
   "pattern": "(?<![A-Za-z0-9-])(?=(?:[a-z-]*[0-9]+[a-z-]+){2})[a-z0-9]{4,6}-[a-z0-9]{4,6}(?![A-Za-z0-9-])",
   "odd": 5
  },
  {
   "what": "short random word",
   "pattern": "(?<![A-Za-z0-9])(?=(?:[A-Za-z]*[0-9]+[A-Za-z]+){2})[A-Za-z0-9]{10,15}(?![A-Za-z0-9])",
   "odd": 4.5
  },
  {
   "what": "number of eight digits, but no date",
   "pattern": "(?<![0-9.,])(?!(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])(?![0-9]))[0-9]{8}(?![0-9])"
  },
  {
   "what": "number of a person after the word for it",
   "pattern": "((?:(?<![a-z])(?:ssn|nino|nif|dni|tin|itin|passport (?:no|number)|tax (?:id|number)|steuer-?id|social security(?: number)?|national (?:id|insurance)(?: number)?|fiscal code|codice fiscale|sozialversicherungsnummer|personalausweisnummer|reisepassnummer))(?![a-z])[^A-Za-z0-9]{0,3}(?: ?(?:is|ist|est|es))?[^A-Za-z0-9]{0,3})(?=(?:[A-Za-z -]*[0-9]){4})[A-Za-z0-9](?:[ -]?[A-Za-z0-9]){4,18}(?![A-Za-z0-9])",
   "ignore_case": true
  },
  {
   "what": "telephone number with its country",
   "pattern": "(?<![A-Za-z0-9+])(?:\\+|00)[1-9][0-9]{0,2}[ ./-]?(?:\\(0?[0-9]{1,4}\\)[ ./-]?)?[0-9](?:[ ./-]?[0-9]){5,12}(?![0-9])"
  },
  {
   "what": "telephone number with its area, but none that is free to call",
   "pattern": "(?<![A-Za-z0-9+/.-])(?:(?:1[ .-])?(?!8(?:00|33|44|55|66|77|88))(?:\\([2-9][0-9]{2}\\) ?|[2-9][0-9]{2}[.-])[2-9][0-9]{2}[ .-][0-9]{4}|(?!0[0-9]{4}-[0-9]{4}(?![0-9]))\\(?0(?!800|0)[1-9][0-9]{1,3}\\)?[ /-]{1,3}[0-9]{3,8}(?:[ -][0-9]{2,5}){0,3})(?![0-9/.-])"
  },
  {
   "what": "telephone number after the word for it",
   "pattern": "((?:phone|(?<![a-z])(?:mobile|cell|tel|fax|sms|whatsapp|handy|mobil)|telefon|telefono|teléfono|téléphone|móvil)(?: ?(?:number|no|nummer|nr))?(?![a-z])[^A-Za-z0-9+]{1,4})\\+?[0-9(](?:[ ()/.-]{0,2}[0-9]){6,14}(?![0-9])",
   "ignore_case": true
  },
  {
   "what": "IP address, but no version",
   "pattern": "(?<![A-Za-z0-9.-])(?<!version )(?<!release )(?<!build )(?!127\\.|0\\.)(?=[0-9.]*[0-9]{2})(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])\\.){3}(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?![A-Za-z0-9-]|\\.[0-9])",
   "ignore_case": true
  },
  {
   "what": "IP address of version 6",
   "pattern": "(?<![A-Za-z0-9:])(?=[A-Fa-f:]*[0-9])(?=[0-9A-Fa-f:]{6})(?:(?:[0-9A-Fa-f]{1,4}:){5,7}[0-9A-Fa-f]{1,4}|(?:[0-9A-Fa-f]{1,4}:){1,6}(?::[0-9A-Fa-f]{1,4}){1,5})(?![A-Za-z0-9:])"
  }
 ],
 "addresses": [
  {
   "what": "e-mail address, also with stars for letters, but no example of one",
   "pattern": "(?<![A-Za-z0-9._%+-])(?!(?:you|your[a-z.-]*|name|user|username|e?mail|someone|me|john\\.?doe|jane\\.?doe)@(?:example|domain|company|email|mail|site|your[a-z-]*)\\.)[^ @<>(){}\"',;:/?&=#|\\[\\]\\\\]{1,64}@(?:[A-Za-z0-9\\u00c0-\\uffff*-]{1,63}\\.){1,8}[A-Za-z\\u00c0-\\uffff*]{2,63}",
   "ignore_case": true
  },
  {
   "what": "e-mail address in a URL",
   "pattern": "[A-Za-z0-9._+*-]{1,64}%40(?:[A-Za-z0-9*-]{1,63}\\.){1,8}[A-Za-z]{2,63}",
   "ignore_case": true
  }
 ],
 "handles": [
  {
   "what": "name of a user after an at sign",
   "pattern": "(?<![A-Za-z0-9._%+@-])@(?!(?:mentions?|everyone|here|channel|all|media|import|username|handle|name|you)(?![A-Za-z0-9_]))[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,38}[A-Za-z0-9_])",
   "ignore_case": true
  }
 ],
 "beside": [
  {
   "words": "(?:one.time|einmal|verification|verify|authentication|security|recovery|backup|login|sign.in|sms|sicherheits|wiederherstellungs|bestätigungs)[ -]?(?:code|pass|kenn)|(?<![a-z])(?:otp|totp|2fa|pin|tan)(?![a-z])",
   "codes": [
    {
     "what": "code",
     "pattern": "(?<![A-Za-z0-9.,-])(?:[0-9]{6,8}|[0-9]{3}[ -][0-9]{3}|[0-9]{4}[ -][0-9]{4}|(?=[A-Za-z-]*[0-9])(?=[0-9-]*[A-Za-z])[A-Za-z0-9]{4,6}-?[A-Za-z0-9]{4,6})(?![A-Za-z0-9-]|[.,][0-9])"
    }
   ]
  },
  {
   "words": "(?:password|passwort|kennwort|mot de passe|contraseña|senha|wachtwoord|schlüssel|(?<![a-z])(?:keys?|secret|token))(?![a-z])",
   "codes": [
    {
     "what": "groups of letters and digits",
     "pattern": "(?<![A-Za-z0-9-])(?:(?:[A-Za-z0-9]{3}[ -]{1,2}){3,}[A-Za-z0-9]{2,3}|(?:[A-Za-z0-9]{4}[ -]{1,2}){2,}[A-Za-z0-9]{2,4}|(?:[A-Za-z0-9]{5}[ -]{1,2}){2,}[A-Za-z0-9]{2,5}|(?:[A-Za-z0-9]{6}[ -]{1,2}){1,}[A-Za-z0-9]{4,6}|(?:[A-Za-z0-9]{7}[ -]{1,2}){1,}[A-Za-z0-9]{5,7}|(?:[A-Za-z0-9]{8}[ -]{1,2}){1,}[A-Za-z0-9]{6,8})(?![A-Za-z0-9])",
     "odd": 3.6
    },
    {
     "what": "groups with letters and digits in each",
     "pattern": "(?<![A-Za-z0-9-])(?:(?:(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[A-Za-z0-9]{3,8}[ -]{1,2}){1,}(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[A-Za-z0-9]{3,8})(?![A-Za-z0-9])",
     "odd": 4
    }
   ]
  },
  {
   "words": "(?:recovery|seed|backup|secret|mnemonic|wallet) (?:phrase|words)|wiederherstellungs(?:phrase|wörter)",
   "codes": [
    {
     "what": "words, also with their numbers",
     "pattern": "(?<![A-Za-z0-9])(?!(?:and|are|been|but|does|for|from|has|her|his|into|its|may|must|not|our|out|some|than|the|their|them|these|those|through|was|were|which|while|who|with|would|your|yours)(?![a-z]))[a-z]{3,8}(?:[ ,](?!(?:and|are|been|but|does|for|from|has|her|his|into|its|may|must|not|our|out|some|than|the|their|them|these|those|through|was|were|which|while|who|with|would|your|yours)(?![a-z]))[a-z]{3,8}){2,23}(?![A-Za-z0-9])"
    },
    {
     "what": "numbered words",
     "pattern": "(?<![A-Za-z0-9.])[0-9]{1,2}[.):]? {0,2}[a-z]{3,8}(?:[ ,;]{1,3}[0-9]{1,2}[.):]? {0,2}[a-z]{3,8}){0,23}(?![A-Za-z0-9])"
    },
    {
     "what": "one word alone",
     "pattern": "^(?!(?:back|cancel|check|close|confirm|continue|copied|copy|delete|done|download|edit|enter|finish|help|hide|less|more|next|open|print|remove|reveal|save|show|skip|start|submit|verify|view)$)[a-z]{3,8}$"
    }
   ]
  }
 ],
 "parameters": {
  "names": "^(?:code|state|key|pass|pin|hash|sso|relaystate)$",
  "words": "(?<![a-z0-9])(?:(?:access |id )?token|api ?key|auth(?:entication|orization|key)?|code (?:challenge|verifier)|credentials?|[a-z]*(?:csrf|xsrf)[a-z]*|hmac|jwt|jsessionid|phpsessid|[a-z]*nonce|[a-z]*token|sess(?:ion)? ?key|form ?(?:key|build ?id)|otp|passwd|password|pwd|pw|assertion|saml ?[a-z]*|secret|sess(?:ion)?(?: ?id)?|session ?[a-z]*|sid|sig(?:nature)?|ticket|openid|magic|verifier)(?![a-z0-9])",
  "passing": "^(?:t|ts|time ?stamp|time|now|cb|r|rnd|rand(?:om)?|(?:no|anti|bust) ?cache|cache ?bust(?:er)?|)$",
  "passing_values": "^(?:[0-9]{9,}|0?\\.[0-9]{6,}|(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{8,})$",
  "short": "^(?:t|k|c|tk|tok|rt|vt|ml|ref|invite|invitation|confirmation|activation|link|key ?id)$"
 },
 "paths": {
  "links": "^(?:magic|magic[_-]?links?|verify|verification|verify[_-]?email|reset|reset[_-]?password|password[_-]?reset|pwreset|invites?|invitations?|confirm|confirmation|activate|activation|recover|recovery|unlock|join|accept|unsubscribe|optout|opt[_-]out|one[_-]?time|otp|token|login[_-]?link|claim|redeem)$",
  "token": {
   "pattern": "^(?!(?:[0-9]+[dhms])+$)[A-Za-z0-9_.~=-]{6,}$",
   "odd": 3.3
  },
  "people": "^(?:profiles?|users?|u|accounts?|members?|people|persons?|authors?|customers?|ids?|uid|by)$"
 },
 "account": {
  "distinct": "^(?=.{5})(?:.*[^ ] [^ ]|(?=.*[0-9]).*[A-Za-z]|.*[A-Za-z0-9][._][A-Za-z0-9])",
  "before": "(?:(?:signed|logged)[ -]in as|(?:signed|logged) in:|account:|user(?:name)?:|howdy,?|hello,?|hi,?|hey,?|welcome(?: back)?,?|angemeldet als|eingeloggt als|hallo,?|willkommen(?: zurück)?,?|connecté(?:e)? en tant que|bonjour,?|(?:sesión )?iniciada? como|conectado como|hola,?|ciao,?|@|~)",
  "ordinary": "^(?:a|about|account|accounts|admin|administrator|all|any|api|app|apps|article|author|blog|bot|button|cancel|chat|class|contact|content|customer|data|default|delete|demo|dev|developer|docs|edit|editor|email|en|everyone|example|explore|feed|files|footer|form|forum|friends|group|groups|guest|header|hello|help|hi|home|id|image|images|index|info|inbox|item|label|link|links|list|local|login|logout|mail|main|manager|me|media|member|members|menu|message|messages|mod|moderator|my|myself|name|nav|new|news|newsletter|none|notes|null|off|office|on|option|orders|owner|page|pages|password|people|personal|photos|post|posts|privacy|private|profile|profiles|public|public|read|reader|root|row|sales|save|search|section|security|select|self|service|settings|shop|site|sitemap|staff|start|static|store|student|submit|support|system|tab|table|teacher|team|test|tester|testing|tests|text|title|tools|type|undefined|user|username|users|value|video|videos|web|welcome|wiki|www|you|your)$"
 },
 "fields": {
  "password_autocomplete": "^(?:current|new)-password$",
  "new_password": "(?<![a-z])(?:new|next|choose|create|neues?|nouveau|nueva|nova|nuova|nieuwe?)(?![a-z])",
  "current_password": "(?<![a-z])(?:current|old|existing|present|aktuelles|altes|bisheriges|actuel|ancien|actual|anterior|atual|antiga|attuale|vecchia|huidige?|oude?)(?![a-z])",
  "secret_autocomplete": "^(?:one-time-code|cc-(?!name$|type$).*)$",
  "password": "(?<![a-z])(?:pass ?words?|pass ?wd|pwd?|pswd|psw|pass ?phrase|passwor[td]|kennwort|mot de passe|contrase(?:ñ|n)a|senha|clave|wachtwoord|lösenord|salasana|adgangskode|hasło|heslo|şifre)(?![a-z])|^(?:user |login |account )?pass$|парол|密码|密碼|パスワード|비밀번호",
  "secret": [
   "(?<![a-z0-9])(?:h?otp|totp|2fa|mfa|two ?factor|second factor|tan|one ?time|pass ?code|pin(?: ?code)?)(?![a-z0-9])",
   "(?<![a-z])(?:verification|verify|authentication|authenticator|auth|security|login|sign ?in|confirmation|confirm|sms|access|guard|backup|recovery) ?(?:code|key)s?(?![a-z])",
   "(?<![a-z])code (?:we|from|sent)(?![a-z])",
   "(?<![a-z0-9])[0-9] digit code(?![a-z])",
   "^enter (?:the |your )?code$",
   "(?<![a-z])(?:(?:credit |debit )?card ?(?:number|no|num)|cc ?(?:num|number|no|exp|csc|cvc)|cvv2?|cvc2?|csc|iban)(?![a-z0-9])",
   "(?<![a-z])(?:re|h)?captcha(?![a-z])|characters (?:you see|in the (?:image|picture))|(?<![a-z])turnstile(?![a-z])",
   "(?<![a-z])(?:api|secret|private|access) ?(?:key|token)(?![a-z])",
   "(?<![a-z])(?:ssn|social security(?: number)?|security answer|csrf|xsrf|nonce)(?![a-z])",
   "(?<![a-z])(?:secret|token)(?! ?(?:name|desc|note|label|title|expir|[a-z]*zip))(?![a-z])"
  ],
  "about": [
   "^(?:[^ ]+ ){0,6}?(?:pass ?words?|pass ?wd|pwd|pass ?phrase|passcode|passwort|kennwort|contraseña|senha|wachtwoord|secret|token|keys?|pin|codes?|otp|totp|2fa|card) (?:(?:nick)?names?|label|title|description|desc|note|comment|hint|reminder|policy|strength|length|lifetime|age|expir(?:y|es|ation)(?: date)?|validity|rotation|rules?|requirements?|manager|type|kind|format|prefix|scopes?|permissions?|purpose|usage|method|provider|settings?|options?|bezeichnung|beschreibung|hinweis|richtlinie|stärke|länge|ablauf)(?: (?:optional|required|in (?:days|hours|minutes|characters)|days|characters|[0-9]+|field|input|text ?field|text ?box))*(?: (?:e g|eg|for example|for instance|such as|z b|p ej|par ex) .*)?$",
   "^(?:[^ ]+ ){0,4}?(?:(?:nick)?name|label|title|description|desc|hint|reminder|policy|strength|length|expir(?:y|ation)(?: date)?|lifetime|purpose|bezeichnung|beschreibung|hinweis|nom|libellé|nombre|nome|naam) (?:(?:of|for|to|your|my|this|that|the|an?|new|each|für|des|der|das|dein|deines|ihres|von|zum|de|del|della|du|la|le|el|il|do|da|van|het) ){1,4}(?:[^ ]+ ){0,3}?(?:pass ?words?|pass ?phrase|passcode|passworts?|passwortes|kennworts?|kennwortes|mot de passe|contraseña|senha|wachtwoord|secret|token|tokens|keys?|pin|codes?|schlüssels?|clé|clave)(?: (?:optional|required))*(?: (?:e g|eg|for example|for instance|such as|z b|p ej|par ex) .*)?$",
   "(?:passwort|kennwort|schlüssel|token)(?:name|bezeichnung|beschreibung|hinweis|richtlinie|stärke|länge)(?![a-z])"
  ],
  "captcha_frames": "^https://(?:[A-Za-z0-9_-]+\\.)*(?:hcaptcha\\.com|recaptcha\\.net|challenges\\.cloudflare\\.com|arkoselabs\\.com|funcaptcha\\.com|geetest\\.com)/|^https://www\\.google\\.com/recaptcha/"
 },
 "odd_pairs": {
  "parts": "[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+",
  "fewest": 5,
  "turn": 8,
  "change": 3,
  "letters": {
   "a": "12106323033100725000114643",
   "b": "22871757377387389345387966",
   "c": "09272990192388196353289659",
   "d": "15640756166466169336356857",
   "e": "22211323042000335001334341",
   "f": "37952357287387389353477966",
   "g": "26850834276363379324277958",
   "h": "26981758296243289232484956",
   "i": "13120316514110133201438591",
   "j": "38942578593774479946468996",
   "k": "36871776353375369443465967",
   "l": "14431552175144257732356626",
   "m": "13651767297626029745477867",
   "n": "14201313253452155500445753",
   "o": "43331435354120125002143655",
   "p": "26872463267388239244468968",
   "q": "99999999999999999999299999",
   "r": "03320434073433146221344934",
   "s": "14150442154334225500345955",
   "t": "05460652035466159122354933",
   "u": "34342246255231547123443575",
   "v": "19991999299499299489659989",
   "w": "37972995398695489658599989",
   "x": "59696998599899659996769579",
   "y": "57665878599655659646697999",
   "z": "27792878298777399984295982"
  }
 }
});
