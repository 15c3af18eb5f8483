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
   "what": "app password after the word for it",
   "pattern": "((?:password|passwort|kennwort|key|code|schlüssel|mot de passe|contraseña)(?: (?:is|ist|est|es))?[^A-Za-z]{1,3})(?:[a-z]{4} ){3}[a-z]{4}(?![A-Za-z0-9])",
   "odd": 2.4
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
 "beside": {
  "words": "(?:one.time|einmal|verification|verify|authentication|security|recovery|backup|login|sign.in|sms|sicherheits|wiederherstellungs|bestätigungs)[ -]?(?:code|pass|kenn)|(?<![a-z])(?:otp|totp|2fa|pin|tan)(?![a-z])",
  "codes": [
   {
    "what": "code",
    "pattern": "(?<![A-Za-z0-9.,-])(?:[0-9]{6,8}|[0-9]{3}[ -][0-9]{3}|[0-9]{4}[ -][0-9]{4}|(?=[A-Za-z-]*[0-9])(?=[0-9-]*[A-Za-z])[A-Za-z0-9]{4,6}-?[A-Za-z0-9]{4,6})(?![A-Za-z0-9-]|[.,][0-9])"
   }
  ]
 },
 "parameters": {
  "names": "^(?:code|state|key|pass|pin|hash|sso|relaystate)$",
  "words": "(?<![a-z0-9])(?:(?:access |id )?token|api ?key|auth(?:entication|orization|key)?|code (?:challenge|verifier)|credentials?|[a-z]*(?:csrf|xsrf)[a-z]*|hmac|jwt|jsessionid|phpsessid|[a-z]*nonce|[a-z]*token|sess(?:ion)? ?key|form ?(?:key|build ?id)|otp|passwd|password|pwd|pw|assertion|saml ?[a-z]*|secret|sess(?:ion)?(?: ?id)?|session ?[a-z]*|sid|sig(?:nature)?|ticket|openid|magic|verifier)(?![a-z0-9])",
  "passing": "^(?:t|ts|time ?stamp|time|now|cb|r|rnd|rand(?:om)?|(?:no|anti|bust) ?cache|cache ?bust(?:er)?|)$",
  "passing_values": "^(?:[0-9]{9,}|0?\\.[0-9]{6,}|(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{8,})$"
 },
 "paths": {
  "people": "^(?:profiles?|users?|u|accounts?|members?|people|persons?|authors?|customers?|ids?|uid|by)$"
 },
 "fields": {
  "password_autocomplete": "^(?:current|new)-password$",
  "secret_autocomplete": "^(?:one-time-code|cc-(?!name$|type$).*)$",
  "password": "(?<![a-z])(?:pass ?words?|pass ?wd|pwd|pswd|psw|pass ?phrase|passwor[td]|kennwort|mot de passe|contrase(?:ñ|n)a|senha|clave|wachtwoord|lösenord|salasana|adgangskode|hasło|heslo|şifre)(?![a-z])|^(?:user |login |account )?pass$|парол|密码|密碼|パスワード|비밀번호",
  "secret": [
   "(?<![a-z0-9])(?:h?otp|totp|2fa|mfa|two ?factor|second factor|tan|one ?time|pass ?code|pin(?: ?code)?)(?![a-z0-9])",
   "(?<![a-z])(?:verification|verify|authentication|authenticator|auth|security|login|sign ?in|confirmation|confirm|sms|access|guard|backup|recovery) ?(?:code|key)s?(?![a-z])",
   "(?<![a-z])code (?:we|from|sent)(?![a-z])",
   "(?<![a-z0-9])[0-9] digit code(?![a-z])",
   "(?<![a-z])(?:(?:credit |debit )?card ?(?:number|no|num)|cc ?(?:num|number|no|exp|csc|cvc)|cvv2?|cvc2?|csc|iban)(?![a-z0-9])",
   "(?<![a-z])(?:re|h)?captcha(?![a-z])|characters (?:you see|in the (?:image|picture))|(?<![a-z])turnstile(?![a-z])",
   "(?<![a-z])(?:api|secret|private|access) ?(?:key|token)(?![a-z])",
   "(?<![a-z])(?:ssn|social security(?: number)?|security answer|csrf|xsrf|nonce)(?![a-z])",
   "(?<![a-z])(?:secret|token)(?! ?(?:name|desc|note|label|title|expir|[a-z]*zip))(?![a-z])"
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
