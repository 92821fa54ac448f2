enum DocumentSeeds {
    static let all = [
        FuzzSeed(
            "shelf",
            document(
                #"""
                {"class":"Shelf","row":2,"fields":{"serial":1,"total":-7,"till":null,
                "books":[{"class":"Book","row":3},{"class":"Book","row":2}]}},
                {"class":"Book","row":3,"fields":{"text":"\u00e4\ud83c\udfb5\n","price":9}},
                {"class":"Book","row":2,"fields":{"shelf":{"class":"Shelf","row":2}}}
                """#)),
        FuzzSeed(
            "unknown",
            document(
                #"{"class":"None","row":1,"fields":{}},{"class":"Book","row":1,"fields":{"no":[1e-3]}}"#
            )),
        FuzzSeed("empty", document("")),
        FuzzSeed("deep", #"{"more":"# + String(repeating: "[{\"\":", count: 140)),
    ]

    private static func document(_ objects: String) -> String {
        #"{"format":"cabinet-export","version":1,"objects":[\#(objects)]}"#
    }
}
